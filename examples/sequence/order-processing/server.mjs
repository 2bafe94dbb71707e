// The services that the order workflow calls, in one small server: customers, stock, payments, shipments, messages.
//
//   node server.mjs [port]      (7171 unless said otherwise; 0 takes any that is free)
//
// It prints `listening on http://127.0.0.1:PORT`, then a line for each request. What it is asked twice with the same
// `idempotency-key` it does once. The first payment of every order is answered with 503, so that there is something to
// try again; the card `declined` is refused.

import { createServer } from "node:http";
import process from "node:process";

const customers = {
  "c-1": { id: "c-1", name: "Ada", mail: "ada@example.com", phone: "+44 20 7946 0000" },
  "c-2": { id: "c-2", name: "Bo", mail: "bo@example.com", phone: null },
};
const prices = { oak: 120, ash: 80, elm: 95 };
const stock = { oak: 5, ash: 20, elm: 0 };

// Answers by idempotency key, and payments that were tried.
const answered = new Map();
const tried = new Set();
let lastId = 0;
const made = (kind, more) => [201, { id: `${kind}-${++lastId}`, ...more }];

const routes = {
  "GET /customers/:id": ({ id }) => (customers[id] ? [200, customers[id]] : [404, { error: `there is no customer ${id}` }]),
  "GET /stock/:sku": ({ sku }) =>
    sku in stock ? [200, { sku, available: stock[sku], price: prices[sku] }] : [404, { error: `there is no ${sku}` }],
  "POST /reservations": (_, { sku, quantity }) => {
    if (!(stock[sku] >= quantity)) return [409, { error: `only ${stock[sku] ?? 0} of ${sku} are left` }];
    stock[sku] -= quantity;
    return made("reservation", { sku, quantity });
  },
  "POST /payments": (_, { orderId, card, amount }) => {
    if (!tried.has(orderId)) {
      tried.add(orderId);
      return [503, { error: "the bank is busy" }];
    }
    return card === "declined" ? [402, { error: "the card was declined" }] : made("payment", { amount });
  },
  "POST /captures": (_, { paymentId }) => made("capture", { paymentId }),
  "POST /shipments": (_, { orderId }) => made("shipment", { orderId, carrier: "barge" }),
  "POST /backorders": (_, { orderId, missing }) => made("backorder", { orderId, missing }),
  "POST /mails": (_, { to }) => made("mail", { to }),
  "POST /texts": (_, { to }) => made("text", { to }),
  "POST /crm": () => [500, { error: "the CRM is down, as ever" }],
  "GET /data": () => [200, { hello: "world" }],
  "POST /data": (_, body) => [200, { received: body }],
};

function routeOf(method, path) {
  const parts = path.split("/");
  for (const [route, handler] of Object.entries(routes)) {
    const [wanted, pattern] = route.split(" ");
    const names = pattern.split("/");
    if (wanted !== method || names.length !== parts.length) continue;
    const params = {};
    const fits = names.every((name, n) => {
      if (!name.startsWith(":")) return name === parts[n];
      params[name.slice(1)] = decodeURIComponent(parts[n]);
      return true;
    });
    if (fits) return (body) => handler(params, body);
  }
  return () => [404, { error: `there is no ${method} ${path}` }];
}

function bodyOf(text) {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const path = new URL(request.url, "http://localhost").pathname;
  const key = request.headers["idempotency-key"] && `${request.method} ${path} ${request.headers["idempotency-key"]}`;
  const body = bodyOf(text);
  const [status, answer] =
    answered.get(key) ?? (body === undefined ? [400, { error: "the body is not JSON" }] : routeOf(request.method, path)(body));
  // Only what was done must not be done again.
  if (key !== undefined && status < 300) answered.set(key, [status, answer]);
  console.log(`${status} ${request.method} ${path}`);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
});

server.listen(Number(process.argv[2] ?? 7171), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
