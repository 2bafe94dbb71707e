// A step service with nothing but Node's standard library: reviews that take a while.
//
//     node reviews.mjs [PORT]
//
// An asynchronous step: the call is answered at once, and the outputs are posted to the webhook when they are there.
// The same answer may be posted again, so a service that is not sure simply does.

import { createServer } from "node:http";

const port = Number(process.argv[2] ?? 8103);
const REVIEW_MS = 200;
const TRIES = 5;

/** Reviews that were asked for, by idempotency key: asked again, the same review is meant. */
const reviews = new Map();

async function read(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? {} : JSON.parse(text);
}

async function post(url, outputs) {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(outputs),
      });
      if (response.status < 500) return;
    } catch {
      // The engine may be restarting.
    }
    await new Promise((done) => setTimeout(done, 200 * attempt));
  }
}

const server = createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.url === "/health") return answer(200, { status: "ok" });
  const key = request.headers["idempotency-key"];
  if (request.url === "/reviews/cancel") {
    reviews.delete(key);
    return answer(200, {});
  }
  if (request.method !== "POST" || request.url !== "/reviews") return answer(404, {});
  const { total, customer } = await read(request);
  const webhook = request.headers["stepwell-webhook-url"];
  if (!reviews.has(key)) {
    reviews.set(key, `approved for ${customer.name} at ${total}`);
    setTimeout(() => post(webhook, { verdict: reviews.get(key) }), REVIEW_MS);
  }
  return answer(202, {});
});

server.listen(port, "127.0.0.1", () => console.log(`reviews on http://127.0.0.1:${server.address().port}`));
