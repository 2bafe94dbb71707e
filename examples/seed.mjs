// Fills a server with what there is to see: flow steps, graphs, schedules, a recording, and runs of all of them. What is there already stays
// as it is, so a server can be filled as often as one likes.
//
//   node examples/seed.mjs [http://127.0.0.1:7070]
//
// The server is `examples/code/shop-server` with `--workflows examples/sequence/samples/control-flow --mcp-config examples/graph/mcp.json`.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;
const read = (path) => JSON.parse(readFileSync(join(here, path), "utf8"));
const files = (folder) => readdirSync(join(here, folder)).filter((name) => name.endsWith(".json")).map((name) => read(join(folder, name)));

const ORDER = { item: "tea", n: 2, cents: 999, card: "4242" };
const ITEMS = ["tea", "cup", "samovar", "kettle", "tray"];
const LINES = [{ item: "tea", n: 3 }, { item: "samovar", n: 1 }, { item: "cup", n: 6 }];
const RECORDING = "Tell a customer what is missing";

/** Resolves to the ids of runs that are worth looking at, by a word for each. */
export async function seed(url) {
  const api = apiOf(url);
  for (const step of files("flow/quote")) await register(api, step);
  for (const name of ["order-digest", "release"]) await api(`/api/workflows/${name}`, { method: "PUT", body: read(`graph/${name}.json`) });
  const schedules = {
    nightly: { workflow: "report", input: { sections: ["sales", "stock"] }, cron: "0 3 * * *", time_zone: "Europe/Berlin" },
    "quarter-hourly": { workflow: "thumbnails", input: { pictures: 3 }, interval_ms: 900_000, paused: true },
  };
  for (const [name, schedule] of Object.entries(schedules)) {
    await api(`/api/schedules/${name}`, { otherwise: { 404: () => api(`/api/schedules/${name}`, { method: "PUT", body: schedule }) } });
  }
  const runs = await startRuns(api);
  return { runs, recording: await record(api) };
}

function apiOf(url) {
  return async (to, { method = "GET", body, otherwise = {} } = {}) => {
    const response = await fetch(url + to, { method, headers: { "content-type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
    const instead = otherwise[response.status];
    if (instead !== undefined) return instead();
    if (!response.ok) throw new Error(`${method} ${to}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
}

/** Registers a step; one that is there with another definition becomes this one. */
async function register(api, step) {
  const update = () => api(`/api/steps/${step.id}`, { method: "PUT", body: step });
  await api("/api/steps", { method: "POST", body: step, otherwise: { 409: update } });
}

async function startRuns(api) {
  // A key that was seen before gives the run that it began.
  const start = async (workflow, name, input, labels = {}) =>
    (await api(`/api/workflows/${workflow}/runs`, { method: "POST", body: { input, run_id: name, idempotency_key: `example ${name}`, labels } })).run_id;
  const flow = async (name, init) =>
    (await api("/api/flows", { method: "POST", body: { goals: ["quote"], init, run_id: name, idempotency_key: `example ${name}` } })).run_id;
  for (let n = 0; n < 12; n += 1) {
    const card = n % 7 === 3 ? "0000" : n % 5 === 1 ? "1111" : "4242";
    await start("order", `order-${1000 + n}`, { ...ORDER, item: ITEMS[n % 5], n: 1 + (n % 4), card }, { shop: n % 2 ? "north" : "south" });
  }
  await start("branching", "branching-1", { total: 40 });
  await start("looping", "looping-1", null);
  await start("order-digest", "digest-bo", { email: "bo@example.com" });
  await start("order-digest", "digest-nobody", { email: "nobody@example.com" });
  await start("approval", "trip-8", { euros: 72, deadline_secs: 86_000 });
  await flow("quote-plain", { customer_id: "p-3-gb", lines: LINES.slice(0, 1) });
  return {
    failed: await start("order", "order-1042", { ...ORDER, card: "0000", item: "samovar" }),
    retried: await start("order", "order-1043", { ...ORDER, card: "1111" }),
    wide: await start("thumbnails", "album-7", { pictures: 40 }),
    waiting: await start("approval", "trip-7", { euros: 500, deadline_secs: 864_000 }),
    report: await start("report", "weekly", { sections: ["sales", "stock", "staff"] }),
    sequence: await start("parallel", "parallel-1", null),
    graph: await start("order-digest", "digest-ada", { email: "ada@example.com" }),
    nested: await start("release", "album-8", { album: "spring", pictures: 6 }),
    flow: await flow("quote-gold", { customer_id: "g-7-de", lines: LINES }),
  };
}

/** A recording as an agent would leave it: calls, an input that has a name, and literals that could be refs. */
async function record(api) {
  const { recordings } = await api("/api/recordings?limit=100");
  const known = recordings.find(({ description }) => description === RECORDING);
  if (known !== undefined) return known.run_id;
  const { recording_id: id } = await api("/api/recordings", { method: "POST", body: { title: RECORDING } });
  const call = (tool, input) => api(`/api/recordings/${id}/calls`, { method: "POST", body: { tool, input } });
  await api(`/api/recordings/${id}/inputs/email`, { method: "PUT", body: { value: "ada@example.com", description: "Whom it is about" } });
  await call("find_customer", { email: "@input.email" });
  await call("list_orders", { customer_id: "c-1" });
  await call("stock_level", { item: "teapot" });
  await call("stock_level", { item: "samovar" });
  await call("send_note", { to: "ada@example.com", text: "Dear Ada, the samovar is on its way." });
  return id;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await seed(process.argv[2] ?? "http://127.0.0.1:7070");
}
