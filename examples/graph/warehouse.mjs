// A small MCP server for the example graphs: customers, orders and stock of a warehouse, over standard input and output.
//
//   stepwell serve --mcp-config examples/graph/mcp.json
//
// It speaks as much of the protocol as tools need: a line of JSON for each message. Yours would use the SDK of its language.

import process from "node:process";
import { createInterface } from "node:readline";

const customers = [
  { id: "c-1", email: "ada@example.com", name: "Ada", city: "London" },
  { id: "c-2", email: "bo@example.com", name: "Bo", city: "Oslo" },
];
const orders = [
  { id: "o-11", customer_id: "c-1", item: "tea", n: 2, cents: 998, open: true },
  { id: "o-12", customer_id: "c-1", item: "samovar", n: 1, cents: 18900, open: true },
  { id: "o-13", customer_id: "c-1", item: "cup", n: 6, cents: 3600, open: false },
  { id: "o-21", customer_id: "c-2", item: "kettle", n: 1, cents: 4200, open: true },
];
const stock = { tea: 40, cup: 12, kettle: 3, samovar: 0 };

const text = (description) => ({ type: "string", description });
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });

/** Each tool: what it is for, what it takes, whether it only looks, and what it does. */
const tools = {
  find_customer: ["Finds a customer by e-mail address", object({ email: text("The address that the customer gave") }), true, ({ email }) => customers.find((one) => one.email === email) ?? `nobody has the address ${email}`],
  list_orders: ["Lists a customer's orders", object({ customer_id: text("As in `find_customer`") }), true, ({ customer_id }) => ({ orders: orders.filter((one) => one.customer_id === customer_id) })],
  stock_level: ["Says how many of an item are on the shelf", object({ item: text("The item's name") }), true, ({ item }) => (item in stock ? { item, on_hand: stock[item] } : `there is no shelf for ${item}`)],
  send_note: ["Sends a customer a note", object({ to: text("An e-mail address"), text: text("What the note says") }), false, ({ to, text: said }) => ({ sent: true, to, n_chars: said.length })],
};

/** A text instead of a result is what went wrong. */
function call({ name, arguments: given = {} }) {
  const [, , , act] = tools[name] ?? [null, null, null, () => `there is no tool ${name}`];
  const result = act(given);
  if (typeof result === "string") return { isError: true, content: [{ type: "text", text: result }] };
  return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
}

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "warehouse", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.entries(tools).map(([name, [description, inputSchema, readOnlyHint]]) => ({ name, description, inputSchema, annotations: { readOnlyHint } })) }),
  "tools/call": call,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const act = methods[method];
  const answer = act === undefined ? { error: { code: -32601, message: `there is no method ${method}` } } : { result: act(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
