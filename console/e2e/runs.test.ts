/** What people do with runs, in a real browser against a real server. */

import { describe, expect, it } from "vitest";

import { ORDER, PATIENCE_MS, boxOf, statusOf, openConsole, write } from "./kit";

const tab = openConsole();
const { server } = tab;
const status = (word: string) => statusOf(tab.page, word);
const box = (name: string) => boxOf(tab.page, name);

describe("a run is started", () => {
  it("from the form, which says at each field what is missing", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/workflows/order?tab=launch`);
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.locator(".field", { hasText: "item" }).getByText("is required").first().waitFor();
    for (const [name, value] of Object.entries(ORDER)) await page.locator(`#root_${name}`).fill(String(value));
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await box("reserve").waitFor();
    await status("Completed").waitFor();
    expect(await box("ship").getAttribute("data-status")).toBe("completed");
  });

  it("not from a wrong input: the server's message stands at the field", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/workflows/order?tab=launch`);
    for (const [name, value] of Object.entries({ ...ORDER, n: 5_000_000_000 })) await page.locator(`#root_${name}`).fill(String(value));
    await page.getByRole("button", { name: "Start the run" }).click();
    const field = page.locator(".field", { has: page.locator("#root_n") });
    await field.getByText("u32").waitFor();
    expect(page.url()).toContain("/workflows/order");
  });

  it("from JSON, and its input is remembered", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/workflows/thumbnails?tab=launch`);
    await page.getByRole("button", { name: "JSON" }).click();
    await write(page, "Input as JSON", '{"pictures": 30}');
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL(/\/runs\//);
    await status("Completed").waitFor();
    await box("pictures").getByRole("button", { name: "Show every branch" }).click();
    await box("picture-30").waitFor();
    await page.goto(`${server.url}/workflows/thumbnails?tab=launch`);
    expect(await page.locator("#root_pictures").inputValue()).toBe("30");
  });
});

describe("a run is steered", () => {
  it("by a message that it waits for", async () => {
    const { page } = tab;
    const run = await server.launch("approval", { euros: 500, deadline_secs: 86_000 });
    await page.goto(`${server.url}/runs/${run}`);
    await page.getByText("Waits for a message").waitFor();
    await box("decide").getByRole("button").click();
    await page.getByRole("button", { name: "Send decide" }).click();
    await write(page, "Body of the message", '{"yes": true, "by": "Ada"}');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await status("Completed").waitFor();
    await page.getByText("500 euros approved by Ada").first().waitFor();
  });

  it("by a cancel, with its reason", async () => {
    const { page } = tab;
    const run = await server.launch("approval", { euros: 1, deadline_secs: 86_000 });
    await page.goto(`${server.url}/runs/${run}`);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByLabel("Reason, if you like").fill("no longer wanted");
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await status("Cancelled").waitFor();
    await page.getByText("Cancelled: no longer wanted").waitFor();
  });

  it("by replaying from a step, in a new run", async () => {
    const { page } = tab;
    const run = await server.launch("order", ORDER);
    await server.ended(run);
    await page.goto(`${server.url}/runs/${run}?step=charge`);
    await page.getByRole("button", { name: "Replay from here" }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith("/runs/") && !url.pathname.endsWith(run));
    await page.getByText("replay of another run").waitFor();
    await status("Completed").waitFor();
  });
});

describe("time travel", () => {
  it("shows the run as it was, and as it is again", async () => {
    const { page } = tab;
    const run = await server.launch("order", { ...ORDER, card: "0000" });
    await server.ended(run);
    await page.goto(`${server.url}/runs/${run}`);
    await status("Failed").waitFor();
    await box("charge").waitFor();
    const slider = page.getByRole("slider");
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByText("as of event 0").waitFor();
    await status("Running").waitFor();
    await box("charge").waitFor({ state: "detached" });
    for (let n = 0; n < 4; n += 1) await page.keyboard.press("ArrowRight");
    await page.getByText("as of event 4").waitFor();
    await box("reserve").waitFor();
    expect(await box("reserve").getAttribute("data-status")).toBe("completed");
    await page.waitForURL(/at=4/);
    await page.reload();
    await page.getByText("as of event 4").waitFor();
    await page.getByRole("button", { name: "Now" }).click();
    await status("Failed").waitFor();
  });

  it("goes to an event that is chosen in the journal", async () => {
    const { page } = tab;
    const run = await server.launch("order", ORDER);
    await server.ended(run);
    await page.goto(`${server.url}/runs/${run}?tab=journal`);
    await page.getByRole("button", { name: "Show the run as of event 3" }).click();
    await page.getByText("as of event 3").waitFor();
    await page.getByRole("tab", { name: "Data" }).click();
    await page.getByText("It has not ended yet.").waitFor();
  });
});

describe("logs", () => {
  it("hide debug lines until they are wanted, and can be narrowed to a step", async () => {
    const { page } = tab;
    const run = await server.launch("report", { sections: ["sales", "stock"] });
    await page.goto(`${server.url}/runs/${run}?tab=logs`);
    await page.getByText("2 of 2 sections are written").waitFor();
    expect(await page.getByText("a page is ready").count()).toBe(0);
    await page.locator(".bar-of-filters select").nth(0).selectOption("debug");
    await page.getByText("a page is ready").first().waitFor();
    await page.locator(".bar-of-filters select").nth(1).selectOption("write-2");
    await page.getByText("writing about sales").waitFor({ state: "detached" });
    await page.getByText("writing about stock").waitFor();
  });
});

describe("the list of runs", () => {
  it("shows a new run and its end without being asked", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/runs`);
    await page.getByRole("table", { name: "Runs" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const run = await server.launch("order", ORDER);
    const row = page.locator(`[data-run="${run}"]`);
    await row.waitFor();
    await row.getByText("Completed").waitFor();
  });

  it("keeps its filters in the address", async () => {
    const { page } = tab;
    const run = await server.launch("order", { ...ORDER, item: "samovar" });
    await server.ended(run);
    await page.goto(`${server.url}/runs`);
    await page.getByRole("button", { name: /^Completed/ }).click();
    await page.getByRole("searchbox", { name: "Search runs" }).fill("samovar");
    await page.waitForURL(/q=samovar/);
    await page.getByText("1 runs, all of them").waitFor();
    await page.reload();
    await page.locator(`[data-run="${run}"]`).waitFor();
    expect(page.url()).toContain("status=completed");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByLabel("By").selectOption("input");
    await page.getByLabel("Path, such as customer.id").fill("n");
    await page.getByLabel("Value").fill("77");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("No run matches").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.locator(`[data-run="${run}"]`).waitFor();
  });

  it("cancels many at once", async () => {
    const { page } = tab;
    const runs = await Promise.all([1, 2, 3].map((euros) => server.launch("approval", { euros, deadline_secs: 80_000 }, { labels: { batch: "many" } })));
    await page.goto(`${server.url}/runs?label=batch%3Dmany`);
    for (const run of runs) await page.locator(`[data-run="${run}"]`).waitFor();
    await page.getByLabel("Choose all that are loaded").click();
    await page.getByRole("button", { name: "Cancel 3" }).click();
    await page.getByRole("button", { name: "Cancel 3 runs" }).click();
    await page.getByText("3 of 3: all are told to end.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    for (const run of runs) await page.locator(`[data-run="${run}"]`, { hasText: "Cancelled" }).waitFor();
  });
});

describe("a restart of the server in the middle", () => {
  it("is noticed, and the page goes on by itself", async () => {
    const { page } = tab;
    const run = await server.launch("approval", { euros: 9, deadline_secs: 86_000 });
    await page.goto(`${server.url}/runs/${run}`);
    await page.getByText("Live", { exact: true }).waitFor();
    await status("Waiting").waitFor();
    await server.kill();
    await page.getByText("Reconnecting…").waitFor();
    await server.start();
    await page.getByText("Live", { exact: true }).waitFor();
    await server.api(`/api/runs/${run}/messages`, { name: "decide", body: { yes: false, by: "Bo" } });
    await status("Completed").waitFor({ timeout: PATIENCE_MS });
    await page.getByText("9 euros rejected by Bo").first().waitFor();
  });
});
