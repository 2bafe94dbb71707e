/** A real MCP client works through a recording while somebody looks on; what it did becomes a workflow. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";

import { boxOf, statusOf, openConsole, write } from "./kit";

const tab = openConsole();
const { server } = tab;

async function connect(address: string): Promise<Client> {
  const client = new Client({ name: "console-e2e", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  return client;
}

const card = (name: string) => tab.page.locator("li.panel", { has: tab.page.getByRole("heading", { name, exact: true }) });

async function begin(title: string): Promise<string> {
  const { page } = tab;
  await page.goto(`${server.url}/recordings`);
  await page.getByRole("button", { name: "New recording" }).click();
  await page.getByLabel("Title").fill(title);
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByText("No calls yet").waitFor();
  return (await page.locator("code.address").textContent()) ?? "";
}

describe("a recording", () => {
  it("shows calls as they are made, and becomes a workflow that runs without the agent", async () => {
    const { page } = tab;
    const agent = await connect(await begin("Orders of a customer"));
    const { tools } = await agent.listTools();
    expect(tools.map((tool) => tool.name)).toContain("find_customer");

    await agent.callTool({ name: "find_customer", arguments: { email: "ada@example.com" } });
    await card("find_customer_1").getByText("Completed").waitFor();
    await agent.callTool({ name: "list_orders", arguments: { customer_id: "c-1" } });
    await agent.callTool({ name: "stock_level", arguments: { item: "teapot" } });
    await card("stock_level_1").getByText("there is no shelf for teapot").waitFor();

    // What equals an earlier output becomes a ref; so does what equals an input that has a name.
    await page.getByRole("button", { name: "Take @find_customer_1.id for /customer_id of list_orders_1" }).click();
    await card("list_orders_1").getByText("@find_customer_1.id").waitFor();
    await page.getByRole("button", { name: "Name an input" }).click();
    await page.getByLabel("Name", { exact: true }).fill("email");
    await page.getByLabel(/^Its value/).fill("ada@example.com");
    await page.getByRole("button", { name: "Name it" }).click();
    await page.getByRole("button", { name: "Take @input.email for /email of find_customer_1" }).click();
    await card("find_customer_1").getByText("@input.email").waitFor();

    await page.getByRole("button", { name: "Preset a result" }).click();
    await page.getByLabel("Name of the step, if you like").fill("greeting");
    await write(page, "Result as JSON", '{"word": "Dear"}');
    await page.getByRole("button", { name: "Preset it" }).click();
    await card("greeting").getByText("preset").waitFor();
    await agent.callTool({ name: "send_note", arguments: { to: "@input.email", text: "@greeting.word @find_customer_1.name" } });
    await card("send_note_1").getByText("Completed").waitFor();

    await page.getByRole("button", { name: "Drop stock_level_1" }).click();
    await card("stock_level_1").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Finish" }).click();
    await page.getByText("Finished").waitFor();
    await agent.close();

    await page.getByRole("button", { name: "Save as a workflow" }).click();
    expect(await page.getByLabel("Name of the workflow").inputValue()).toBe("orders-of-a-customer");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/\/workflows\/orders-of-a-customer/);
    await boxOf(page, "list_orders_1").waitFor();
    await page.getByRole("tab", { name: "Start a run" }).click();
    await page.locator("#root_email").fill("bo@example.com");
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.waitForURL(/\/runs\//);
    await statusOf(page, "Completed").waitFor();
    await page.getByRole("tab", { name: "Data" }).click();
    await page.getByText("o-21").first().waitFor();
  });

  it("goes on after the server was killed in the middle, and so does the page", async () => {
    const { page } = tab;
    const address = await begin("Through a restart");
    const before = await connect(address);
    await before.callTool({ name: "stock_level", arguments: { item: "tea" } });
    await card("stock_level_1").getByText("Completed").waitFor();
    await server.kill();
    await page.getByText("Reconnecting…").waitFor();
    await server.start();
    await page.getByText("Live", { exact: true }).waitFor();
    const after = await connect(address);
    await after.callTool({ name: "stock_level", arguments: { item: "cup" } });
    await card("stock_level_2").getByText("Completed").waitFor();
    await card("stock_level_1").getByText("Completed").waitFor();
    await after.close();

    await page.getByRole("link", { name: "Recordings" }).first().click();
    await page.getByRole("link", { name: "Through a restart" }).waitFor();
  });
});
