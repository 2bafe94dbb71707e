// How fast the console is with much to show: 100,000 runs, a run of more than 10,000 events, a graph of 500 steps. Prints a table.
//
//   STEPWELL_SHOP_SERVER=target/release/shop-server node scripts/figures.mjs [RUNS]

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { startServer } from "../../examples/run.mjs";

const N_RUNS = Number(process.argv[2] ?? 100_000);
const AT_ONCE = 64;
const root = join(import.meta.dirname, "../..");
const dir = mkdtempSync(join(tmpdir(), "stepwell-figures-"));
const binary = process.env.STEPWELL_SHOP_SERVER ?? join(root, "target/release/shop-server");
const { child, url: started } = startServer(binary, ["--store", join(dir, "shop.db"), "--listen", "127.0.0.1:0"]);
const url = await started;

async function api(to, body, method = "POST") {
  const response = await fetch(url + to, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`);
  return response.json();
}
const start = async (workflow, input, more = {}) => (await api(`/api/workflows/${workflow}/runs`, { input, ...more })).run_id;

async function fill() {
  let next = 0;
  const shops = ["north", "south", "east", "west"];
  const one = async () => {
    while (next < N_RUNS) {
      const n = next++;
      // One in fifty is refused by its own check, so that there is something to filter.
      await start("thumbnails", { pictures: n % 50 === 7 ? 10_001 : 0 }, { labels: { shop: shops[n % 4], batch: String(n % 1000) } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const wide = await start("thumbnails", { pictures: 5_000 });
  await fetch(`${url}/api/runs/${wide}/wait?timeout_ms=60000`);
  // Fifty layers of ten: each step takes what two of the layer before gave.
  const steps = Array.from({ length: 500 }, (_, n) => {
    const [layer, at] = [Math.floor(n / 10), n % 10];
    const input = layer === 0 ? n : [`@s_${n - 10}`, `@s_${(layer - 1) * 10 + ((at + 1) % 10)}`];
    return { name: `s_${n}`, action: { code: "export default () => 1" }, input };
  });
  await api("/api/workflows/layers", { id: "layers", steps }, "PUT");
  return wide;
}

const figures = [];
async function measure(what, act) {
  const from = performance.now();
  await act();
  figures.push([what, `${Math.round(performance.now() - from)} ms`]);
}

/** The longest time between two frames while the list is scrolled, screen by screen. */
async function scroll(page) {
  return page.evaluate(async () => {
    const list = document.querySelector(".runs-list, .run-table, [role=table]")?.closest("[class]");
    let pane = list;
    while (pane && pane.scrollHeight <= pane.clientHeight + 1) pane = pane.parentElement;
    const gaps = [];
    let last = performance.now();
    for (let n = 0; n < 120; n += 1) {
      pane?.scrollBy(0, 400);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      gaps.push(now - last);
      last = now;
    }
    gaps.sort((a, b) => a - b);
    return { median: gaps[60], worst: gaps.at(-1), top: pane?.scrollTop };
  });
}

const filledFrom = performance.now();
const wide = await fill();
figures.push([`${N_RUNS} runs started over HTTP`, `${Math.round((performance.now() - filledFrom) / 1000)} s`]);
const flags = ["--no-sandbox", "--disable-gpu"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
const page = await (await browser.newContext({ viewport: { width: 1360, height: 860 } })).newPage();
page.setDefaultTimeout(120_000);
await page.goto(url);
await page.getByRole("heading", { name: "Overview" }).waitFor();

await measure("list of runs: first rows", async () => {
  await page.goto(`${url}/runs`);
  await page.locator("[data-run]").first().waitFor();
});
const frames = await scroll(page);
figures.push(["the same: between frames while scrolling, median and worst", `${Math.round(frames.median)} and ${Math.round(frames.worst)} ms (to ${Math.round(frames.top ?? 0)} px)`]);
await measure("the same: only those that failed", async () => {
  await page.getByRole("button", { name: /^Failed/ }).click();
  await page.locator("[data-run]", { hasText: "Failed" }).first().waitFor();
});
await measure("the same: by text, from the first key to the rows", async () => {
  await page.getByRole("searchbox").fill("10001");
  await page.waitForURL(/q=10001/);
  await page.locator("[data-run]", { hasText: "10001" }).first().waitFor();
});
await measure("the same: by a label", async () => {
  await page.goto(`${url}/runs?label=batch%3D77`);
  await page.locator("[data-run]").first().waitFor();
});
await measure("run of 15,000 events: graph drawn", async () => {
  await page.goto(`${url}/runs/${wide}`);
  await page.locator(".box").first().waitFor();
});
const slider = page.getByRole("slider");
await measure("the same: journal read whole, slider moved to its beginning, redrawn", async () => {
  await slider.focus();
  await page.keyboard.press("Home");
  await page.getByText("as of event 0").waitFor();
});
for (const [name, share] of [["a third", 1 / 3], ["two thirds", 2 / 3]]) {
  await measure(`the same: slider moved to ${name}, redrawn`, async () => {
    const seq = Math.round(Number(await slider.getAttribute("max")) * share);
    await slider.fill(String(seq));
    await page.getByText(`as of event ${seq}`).waitFor();
  });
}
await measure("graph of 500 steps in fifty layers: page opened, laid out and drawn", async () => {
  await page.goto(`${url}/workflows/layers`);
  await page.locator(".box").first().waitFor();
});
await browser.close();
child.removeAllListeners("exit");
child.kill();
rmSync(dir, { recursive: true, force: true });
for (const [what, figure] of figures) console.log(`| ${what} | ${figure} |`);
