// How fast the console is with much to show: 100,000 runs, a run of 15,000 events, a graph of 500 steps. Prints a table.
//
//   node scripts/figures.mjs [--runs N] [--rounds N] [--dist FOLDER]... [--server URL] [--only WORD]
//
// --runs    how many runs there are (100,000)
// --rounds  how often everything is measured; the table has the best and the median of it (3)
// --dist    a build of the console to measure, in place of the one that the server carries; if there are several, they take
//           turns in each round, so that what else the machine does hits all of them alike
// --server  a server that runs already; it is given only what it lacks. Otherwise one is started with a store of its own:
//           the program that STEPWELL_SHOP_SERVER names, or target/release/shop-server
// --only    only what has this word in its name: list, run, graph or server

import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { chromium } from "playwright-core";

import { startServer } from "../../examples/run.mjs";
import { fill } from "./figures-fill.mjs";
import { measureGraph, measureList, measureRun, measureServer, watchPage } from "./figures-measure.mjs";
import { serveDist } from "./serve-dist.mjs";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    dist: { type: "string", multiple: true, default: [] },
    server: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const root = join(import.meta.dirname, "../..");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"];

/** A server that runs already, or one of our own that ends with us. */
async function findServer() {
  if (options.server !== undefined) return { url: options.server, stop: () => undefined };
  const dir = mkdtempSync(join(tmpdir(), "stepwell-figures-"));
  const binary = resolve(process.env.STEPWELL_SHOP_SERVER ?? join(root, "target/release/shop-server"));
  const { child, url } = startServer(binary, ["--store", join(dir, "shop.db"), "--listen", "127.0.0.1:0"]);
  const stop = () => {
    child.removeAllListeners("exit");
    child.kill();
    rmSync(dir, { recursive: true, force: true });
  };
  return { url: await url, stop };
}

/** Everything once, in a browser that has seen nothing yet. */
async function round(url, made, note) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
  context.setDefaultTimeout(120_000);
  await watchPage(context);
  const page = await context.newPage();
  // The parts that all screens share are read once by everybody who works with it.
  await page.goto(url);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const [word, measure] of [["list", measureList], ["run", measureRun], ["graph", measureGraph]]) {
    if (word.includes(options.only)) await measure(page, url, made, note);
  }
  await browser.close();
}

const server = await findServer();
const fronts = options.dist.length === 0 ? [{ url: server.url, stop: () => undefined }] : await Promise.all(options.dist.map((dist) => serveDist(resolve(dist), server.url)));
try {
  const made = await fill(server.url, Number(options.runs));
  /** For each figure, what was measured of each build. */
  const figures = new Map();
  const note = (at) => (what, value) => {
    const row = figures.get(what) ?? fronts.map(() => []);
    row[at].push(value);
    figures.set(what, row);
  };
  for (let n = 0; n < Number(options.rounds); n += 1) {
    console.error(`round ${n + 1}, load ${loadavg()[0].toFixed(1)}`);
    for (const [at, { url }] of fronts.entries()) await round(url, made, note(at));
    if ("server".includes(options.only)) await measureServer(server.url, made, note(0));
  }
  const shown = (values) => {
    const sorted = values.map(Math.round).sort((a, b) => a - b);
    return sorted.length === 0 ? "" : `${sorted[0]}, ${sorted[Math.floor(sorted.length / 2)]} ms`;
  };
  const names = options.dist.length === 0 ? ["best, median"] : options.dist.map((dist) => `${dist}: best, median`);
  console.log(`| what | ${names.join(" | ")} |\n|---|${names.map(() => "---|").join("")}`);
  for (const [what, row] of figures) console.log(`| ${what} | ${row.map(shown).join(" | ")} |`);
} finally {
  for (const { stop } of fronts) stop();
  server.stop();
}
