/** Steps of flows are registered, looked at, changed and removed; goals are planned for and reached. */

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { boxOf, statusOf, openConsole, write } from "./kit";

const QUOTE = join(import.meta.dirname, "../../examples/flow/quote");

const tab = openConsole();
const { server } = tab;
const box = (name: string) => boxOf(tab.page, name);

async function registerQuotes() {
  for (const name of readdirSync(QUOTE)) await server.api("/api/steps", JSON.parse(readFileSync(join(QUOTE, name), "utf8")));
}

describe("the catalog", () => {
  it("takes a step from the form, and says at its line what is wrong with a script", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/catalog`);
    await page.getByText("The catalog is empty").waitFor();
    await page.getByRole("button", { name: "New step" }).click();
    await page.getByLabel("Id", { exact: true }).fill("double");
    await page.getByLabel("Name", { exact: true }).fill("Double it");
    await write(page, "Source of script", "local m = n * 2\nreturn { twice = = m }");
    await page.getByRole("button", { name: "Register" }).click();
    await page.locator("fieldset", { hasText: "Script" }).getByRole("alert").getByText(/^line 2, column/).waitFor();
    // The second line is the one that is marked.
    await page.locator(".cm-line").nth(1).locator(".cm-lintRange-error").first().waitFor();
    await write(page, "Source of script", "local m = n * 2\nreturn { twice = m }");
    await page.getByRole("button", { name: "Register" }).click();
    await page.waitForURL(/goal=double/);
    await box("Double it").waitFor();
    await page.getByRole("textbox", { name: /^n \*/ }).fill("21");
    await page.getByRole("button", { name: "Start the flow" }).click();
    await page.waitForURL(/\/runs\//);
    await statusOf(page, "Completed").waitFor();
    await page.getByRole("tab", { name: "Data" }).click();
    await page.getByText("42").first().waitFor();
  });

  it("keeps form and JSON in step, and says at the field what is wrong", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/catalog?edit=`);
    await page.getByLabel("Id", { exact: true }).fill("call-out");
    await page.getByLabel("Type", { exact: true }).selectOption("sync");
    await page.getByLabel(/^URL/).fill("nowhere");
    await page.getByRole("button", { name: "Register" }).click();
    await page.locator(".field", { hasText: "URL" }).getByRole("alert").first().waitFor();
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByText('"url": "nowhere"').waitFor();
    const step = { id: "call-out", type: "sync", attributes: { n: { role: "required", type: "number" } }, http: { url: "http://127.0.0.1:9/{n}", method: "GET" } };
    await write(page, "The step as JSON", JSON.stringify(step));
    await page.getByRole("button", { name: "Form", exact: true }).click();
    expect(await page.getByLabel(/^URL/).inputValue()).toBe("http://127.0.0.1:9/{n}");
    await page.getByLabel("Timeout (ms)").fill("250");
    await page.getByRole("button", { name: "Register" }).click();
    await page.waitForURL(/goal=call-out/);
    const saved = await server.api<{ definition: unknown }>("/api/steps/call-out");
    expect(saved.definition).toMatchObject({ http: { method: "GET", timeout_ms: 250 } });
  });

  it("shows the way to a goal, fades the rest, and starts a flow with what the way needs", async () => {
    const { page } = tab;
    await registerQuotes();
    await page.goto(`${server.url}/catalog`);
    await box("Write the quote").getByRole("button").click();
    await page.waitForURL(/goal=quote/);
    await page.getByText("6 steps may run").waitFor();
    await page.locator('.box[data-dimmed="true"]', { hasText: "call-out" }).waitFor();
    expect(await box("Discount for gold").getAttribute("data-dimmed")).toBe("false");

    await page.getByRole("textbox", { name: /^customer_id/ }).fill("g-7-de");
    await page.getByRole("textbox", { name: /^lines/ }).fill("not json");
    await page.getByRole("button", { name: "Start the flow" }).click();
    await page.getByText("lines is no array").waitFor();
    await page.getByRole("textbox", { name: /^lines/ }).fill('[{"item": "tea", "n": 3}, {"item": "cup", "n": 1}]');
    await page.getByRole("button", { name: "Start the flow" }).click();
    await page.waitForURL(/\/runs\//);
    await statusOf(page, "Completed").waitFor();
    await box("Discount for gold").waitFor();
    expect(await box("Discount for gold").getAttribute("data-status")).toBe("completed");
    await box("Price a line").getByText("2 of 2").waitFor();

    // What was given is offered again.
    await page.goto(`${server.url}/catalog?goal=quote`);
    await page.getByText("6 steps may run").waitFor();
    expect(await page.getByRole("textbox", { name: /^customer_id/ }).inputValue()).toBe("g-7-de");
    // What is known already spares steps.
    await page.getByText("What is known already").click();
    await page.getByRole("textbox", { name: /^net/ }).fill("1000");
    await page.getByRole("button", { name: "Start the flow" }).click();
    await page.waitForURL(/\/runs\//);
    await statusOf(page, "Completed").waitFor();
    await box("Write the quote").waitFor();
    expect(await box("Price a line").count()).toBe(0);
  });

  it("says who loses what when a step is removed", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/catalog?goal=customer&edit=customer`);
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog").getByText(/gold-discount.*gets.*tier.*from no step any more/).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await box("Look the customer up").waitFor({ state: "detached" });
  });
});
