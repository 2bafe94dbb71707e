/** Graphs are drawn, kept in step with their JSON, saved, run and watched; tools come from a real MCP server. */

import { describe, expect, it } from "vitest";

import { WAREHOUSE, boxOf, statusOf, openConsole, write } from "./kit";

const tab = openConsole({ warehouse: WAREHOUSE, broken: { command: "/nonexistent/tool-server" } });
const { server } = tab;
const box = (name: string) => boxOf(tab.page, name);

/** Adds a step of this kind under this name. */
async function add(kind: string, name: string) {
  const { page } = tab;
  await page.getByRole("button", { name: "Add a step" }).click();
  await page.getByRole("menuitem", { name: kind, exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.keyboard.press("Enter");
  await box(name).waitFor();
}

const problems = () => tab.page.getByRole("list", { name: "What is wrong" });

describe("the graph editor", () => {
  it("makes a graph of tools, code, conditions and lists, and the graph runs", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/graphs/new`);
    await page.getByText("An empty graph").waitFor();
    await page.getByLabel("Id", { exact: true }).fill("stock-check");
    await page.getByRole("button", { name: "Inputs" }).click();
    await page.getByRole("button", { name: "Input", exact: true }).click();
    await page.getByRole("textbox", { name: "Input", exact: true }).fill("email");

    await add("Tool call", "customer");
    await page.getByLabel("Tool", { exact: true }).selectOption("warehouse/find_customer");
    await page.getByText("Finds a customer by e-mail address").waitFor();
    // The ref is offered while it is typed, from the inputs that were just named.
    await page.getByRole("combobox", { name: "email" }).fill("@input.e");
    await page.getByRole("option", { name: /^\.email/ }).click();
    expect(await page.getByRole("combobox", { name: "email" }).inputValue()).toBe("@input.email");

    await add("Tool call", "orders");
    await page.getByLabel("Tool", { exact: true }).selectOption("warehouse/list_orders");
    await page.getByRole("combobox", { name: "customer_id" }).fill("@customer.id");

    await add("Tool call", "shelves");
    await page.getByLabel("Tool", { exact: true }).selectOption("warehouse/stock_level");
    await page.getByRole("combobox", { name: "For each item of" }).fill("@orders.orders");
    await page.getByRole("combobox", { name: "item", exact: true }).fill("@item.item");
    await page.getByLabel("At one time").fill("2");

    await add("Code", "greeting");
    await write(page, "Code of greeting", "export default ({ name, n }) => `Hello ${name}, ${n} orders`;");
    await page.getByRole("combobox", { name: "Input" }).fill('{"name": "@customer.name", "n": "@orders.orders.length"}');
    await problems().getByText("Nothing is wrong with it.").waitFor();

    await page.getByRole("combobox", { name: "Only when" }).fill("@customer.city");
    await page.getByLabel("How it is compared").selectOption("eq");
    await page.getByLabel("What it is compared with").fill("London");
    await page.getByRole("combobox", { name: "Input" }).fill('{"name": "@customer.name", "n": "@index"}');
    await problems().getByText("greeting").waitFor();
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    expect(await box("greeting").getAttribute("data-marked")).toBe("true");
    await page.getByRole("combobox", { name: "Input" }).fill('{"name": "@customer.name", "n": "@shelves"}');
    await problems().getByText("Nothing is wrong with it.").waitFor();

    await page.getByRole("button", { name: "Save and run" }).click();
    await page.waitForURL(/\/workflows\/stock-check\?tab=launch/);
    await page.locator("#root_email").fill("ada@example.com");
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL(/\/runs\//);
    await statusOf(page, "Completed").waitFor();
    for (const name of ["customer", "orders", "shelves", "greeting"]) expect(await box(name).getAttribute("data-status")).toBe("completed");
    await box("shelves").getByText("3 of 3").waitFor();
    await page.getByRole("tab", { name: "Data" }).click();
    await page.getByText(/Hello Ada/).first().waitFor();
  });

  it("undoes and redoes, and keeps picture, fields and JSON in step", async () => {
    const { page } = tab;
    const graph = { id: "steps-in-step", steps: [{ name: "first", action: { sleep: 10 } }] };
    await server.api("/api/workflows/steps-in-step", graph, "PUT");
    await page.goto(`${server.url}/workflows/steps-in-step/edit`);
    await box("first").waitFor();
    await add("Sleep", "second");
    // Adding and naming were quick, and are one step back together or two: both lead to where it began.
    const undo = page.getByRole("button", { name: "Undo" });
    while (await undo.isEnabled()) await undo.click();
    await box("second").waitFor({ state: "detached" });
    const redo = page.getByRole("button", { name: "Redo" });
    while (await redo.isEnabled()) await redo.click();
    await box("second").waitFor();

    await page.getByRole("button", { name: "JSON", exact: true }).click();
    await page.getByText('"second"').waitFor();
    await write(page, "The graph as JSON", '{"id": "steps-in-step", "title": "In step", "steps": [{"name": "third", "action": {"sleep": 20}}]}');
    await box("third").waitFor();
    await box("first").waitFor({ state: "detached" });
    expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("In step");
    await box("third").getByRole("button").click();
    await page.getByLabel("Milliseconds").fill("30");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/\/workflows\/steps-in-step$/);
    const saved = await server.api<{ definition: { title: string; steps: unknown[] } }>("/api/workflows/steps-in-step");
    expect(saved.definition.title).toBe("In step");
    expect(saved.definition.steps).toEqual([{ name: "third", action: { sleep: 30 } }]);
  });

  it("follows a renamed step in everything that refers to it", async () => {
    const { page } = tab;
    const code = "export default (input) => input;";
    const graph = { id: "renames", steps: [{ name: "a", action: { code }, input: 1 }, { name: "b", action: { code }, input: { from: "@a", mail: "x@a.org" } }] };
    await server.api("/api/workflows/renames", graph, "PUT");
    await page.goto(`${server.url}/workflows/renames/edit`);
    await page.getByLabel("Name", { exact: true }).fill("source");
    await page.keyboard.press("Enter");
    await box("source").waitFor();
    await problems().getByText("Nothing is wrong with it.").waitFor();
    await box("b").getByRole("button").click();
    expect(await page.getByRole("combobox", { name: "Input" }).inputValue()).toBe('{"from":"@source","mail":"x@a.org"}');
  });
});

describe("tool servers", () => {
  it("show what they offer, and why one cannot be reached", async () => {
    const { page } = tab;
    await page.goto(`${server.url}/tools`);
    const warehouse = page.locator(".panel", { has: page.getByRole("heading", { name: "warehouse" }) });
    await warehouse.getByText("connected", { exact: true }).waitFor();
    await warehouse.getByRole("button", { name: /stock_level/ }).click();
    await warehouse.getByText("The item's name").waitFor();
    const broken = page.locator(".panel", { has: page.getByRole("heading", { name: "broken" }) });
    await broken.getByText("failed", { exact: true }).waitFor();
    await broken.getByText(/nonexistent/).first().waitFor();
  });
});
