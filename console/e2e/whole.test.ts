/** The console as a whole: who may come in, whether everybody can use it, and what it weighs. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Server, openBrowser, openTab, seed, write, type Seeded } from "./kit";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TOKEN = "an-admin-token-of-32-characters-x";
const FIRST_LOAD_BYTES_MAX = 500_000;

let browser: Browser;
let server: Server;
let seeded: Seeded;

beforeAll(async () => {
  browser = await openBrowser();
  server = new Server();
  await server.start();
  seeded = await seed(server);
  for (const run of [seeded.runs.failed, seeded.runs.graph, seeded.runs.flow, seeded.runs.sequence, seeded.runs.report]) await server.ended(run);
});
afterAll(async () => {
  await browser?.close();
  await server?.remove();
});

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds: by all of its rules, or by those that are named. */
async function violations(page: Page, rules: string[] | null = null): Promise<string[]> {
  // The page's policy forbids foreign scripts; the tools of the browser may do what the page may not.
  const isThere = await page.evaluate(() => "axe" in globalThis);
  if (!isThere) await page.evaluate(AXE);
  const found = await page.evaluate((runOnly) => (globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }).axe.run({ resultTypes: ["violations"], ...(runOnly === null ? {} : { runOnly }) }), rules);
  const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

const screens = ({ runs, recording }: Seeded): [string, string, string][] => [
  ["overview", "/", "Recent failures"],
  ["nodes", "/nodes", "One node"],
  ["runs", "/runs", "all of them"],
  ["workflows", "/workflows", "thumbnails"],
  ["workflow", "/workflows/order", "Recent runs"],
  ["launch", "/workflows/order?tab=launch", "What is bought."],
  ["plan of a sequence", "/workflows/branching", "checkValid"],
  ["graph editor", "/workflows/order-digest/edit", "Nothing is wrong with it."],
  ["inputs of a graph", "/graphs/new", "An empty graph"],
  ["graph of a run", `/runs/${runs.failed}?step=charge`, "Attempts"],
  ["run of a graph", `/runs/${runs.graph}`, "Nothing is open"],
  ["run of a flow", `/runs/${runs.flow}`, "Write the quote"],
  ["run of a sequence", `/runs/${runs.sequence}`, "sendEmail"],
  ["timeline", `/runs/${runs.failed}?tab=timeline`, "8 entries"],
  ["tree", `/runs/${runs.failed}?tab=tree`, "reserve"],
  ["logs", `/runs/${runs.failed}?tab=logs`, "are on hold"],
  ["journal", `/runs/${runs.failed}?tab=journal`, "RunStarted"],
  ["data", `/runs/${runs.waiting}?tab=data`, "Messages not taken"],
  ["catalog", "/catalog", "Write the quote"],
  ["way to a goal", "/catalog?goal=quote", "6 steps may run"],
  ["step of the catalog", "/catalog?edit=quote", "Only if"],
  ["recordings", "/recordings", "Tell a customer"],
  ["recording", `/recordings/${recording}`, "Probably meant as refs"],
  ["tool servers", "/tools", "stock_level"],
  ["schedules", "/schedules", "nightly"],
  ["access", "/access", "Namespaces"],
  ["settings", "/settings", "Settings in force"],
];

describe("everybody can use", () => {
  for (const width of [1360, 390]) {
    // Side by side, for most of the time axe computes in the tab.
    it.concurrent(`every screen in light and in dark, ${width} pixels wide`, async () => {
      const { page, context, complaints } = await openTab(browser, { viewport: { width, height: 860 }, reducedMotion: "reduce" });
      for (const [name, path, text] of screens(seeded)) {
        await page.emulateMedia({ colorScheme: "light" });
        await page.goto(server.url + path);
        await page.getByText(text).first().waitFor({ state: "attached" });
        expect(await violations(page), `${name} in light`).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow, `${name} is wider than the screen`).toBeLessThanOrEqual(0);
        await page.emulateMedia({ colorScheme: "dark" });
        await page.locator('html[data-theme="dark"]').waitFor();
        // Only colours are others.
        expect(await violations(page, ["color-contrast", "link-in-text-block"]), `${name} in dark`).toEqual([]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    });
  }

  it("the console by keyboard alone", async () => {
    const { page, context } = await openTab(browser);
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Workflows" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("order-1042");
    await page.getByRole("option", { name: /order-1042/ }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/runs/${seeded.runs.failed}`);
    await page.locator(".run-head").waitFor();
    await page.keyboard.press("3");
    const tree = page.getByRole("tree");
    await tree.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: /Entry/ }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await context.close();
  });
});

describe("the examples", () => {
  it("fill a server as often as one likes, and change nothing the second time", async () => {
    const n = async () => Object.values((await server.api<{ counts: Record<string, number> }>("/api/runs?limit=1")).counts).reduce((sum, count) => sum + count, 0);
    const before = await n();
    expect(await seed(server)).toEqual(seeded);
    expect(await n()).toBe(before);
  });
});

describe("the first load", () => {
  it("is light, packed and allowed by the policy", async () => {
    const { page, context, complaints } = await openTab(browser);
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    let n = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      n += encodedDataLength;
    });
    const answer = await page.goto(server.url);
    await page.getByText("Recent failures").waitFor();
    await page.locator(".u-over").waitFor({ state: "attached" });
    expect(answer?.headers()["content-security-policy"]).toContain("script-src 'self'");
    expect(n).toBeGreaterThan(50_000);
    expect(n).toBeLessThan(FIRST_LOAD_BYTES_MAX);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("schedules and tokens", () => {
  it("a schedule is made, paused and removed", async () => {
    const { page, context } = await openTab(browser);
    await page.goto(`${server.url}/schedules`);
    await page.getByRole("button", { name: "New schedule" }).click();
    await page.getByLabel("Name", { exact: true }).fill("each-hour");
    await page.locator("dialog select").first().selectOption("report");
    await page.getByLabel("Cron", { exact: true }).fill("nonsense");
    await page.locator("dialog .field-error").waitFor();
    await page.getByLabel("Cron", { exact: true }).fill("0 * * * *");
    await page.getByText("Next: ").waitFor();
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByText("does not fit").first().waitFor();
    await write(page, "Input as JSON", '{"sections": []}');
    await page.getByRole("button", { name: "Make it" }).click();
    const row = page.locator(".schedule", { hasText: "each-hour" });
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("paused").waitFor();
    await page.getByRole("button", { name: "Remove each-hour" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await row.waitFor({ state: "detached" });
    await context.close();
  });

  it("a token lets in who has it, and nobody once it is revoked", async () => {
    const closed = new Server(TOKEN);
    await closed.start();
    const { page, context } = await openTab(browser);
    await page.goto(`${closed.url}/access`);
    await page.getByLabel("Access token").fill("wrong");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("unknown or revoked").waitFor();
    await page.getByLabel("Access token").fill(TOKEN);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("viewer");
    await page.getByLabel("It may").selectOption("read");
    await page.getByRole("button", { name: "Make it" }).click();
    const secret = (await page.getByTestId("new-token").textContent()) ?? "";
    await page.getByRole("button", { name: "I have it" }).click();

    const other = await openTab(browser);
    await other.page.goto(`${closed.url}/workflows/order`);
    await other.page.getByLabel("Access token").fill(secret);
    await other.page.getByRole("button", { name: "Log in" }).click();
    await other.page.getByText("Recent runs").waitFor();
    expect(await other.page.getByRole("tab", { name: "Start a run" }).count()).toBe(0);

    await page.getByRole("row", { name: /viewer/ }).getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No tokens").waitFor();
    await other.page.reload();
    await other.page.getByLabel("Access token").waitFor();
    await other.context.close();
    await context.close();
    await closed.remove();
  });
});
