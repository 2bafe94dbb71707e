// A picture of every screen, in light and dark, wide and narrow, of a real server with real runs.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

const out = new URL("../screenshots", import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), "stepwell-shots-"));
mkdirSync(out, { recursive: true });
const binary = process.env.STEPWELL_SHOP_SERVER ?? new URL("../../target/debug/shop-server", import.meta.url).pathname;
const server = spawn(binary, ["--store", join(dir, "shop.db"), "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
const url = await new Promise((resolve, reject) => {
  server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  server.stdout.on("data", (said) => {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(String(said));
    if (found) resolve(found[0]);
  });
});

async function api(to, body, method = "POST") {
  const response = await fetch(url + to, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`);
  return response.json();
}
const start = async (name, input, more = {}) => (await api(`/api/workflows/${name}/runs`, { input, ...more })).run_id;
const ended = (run) => fetch(`${url}/api/runs/${run}/wait?timeout_ms=60000`);

const order = { item: "tea", n: 2, cents: 999, card: "4242" };
const items = ["tea", "cup", "samovar", "kettle", "tray"];
const runs = [];
for (let n = 0; n < 24; n += 1) {
  const card = n % 7 === 3 ? "0000" : n % 5 === 1 ? "1111" : "4242";
  runs.push(await start("order", { ...order, item: items[n % 5], n: 1 + (n % 4), card }, { labels: { shop: n % 2 ? "north" : "south" } }));
}
const failed = await start("order", { ...order, card: "0000", item: "samovar" }, { run_id: "order-1042" });
const retried = await start("order", { ...order, card: "1111" }, { run_id: "order-1043" });
const wide = await start("thumbnails", { pictures: 40 }, { run_id: "album-7" });
const waiting = await start("approval", { euros: 500, deadline_secs: 86_000 }, { run_id: "trip-7" });
await start("approval", { euros: 72, deadline_secs: 4_000 }, { run_id: "trip-8" });
await api("/api/schedules/nightly", { workflow: "report", input: { sections: ["sales", "stock"] }, cron: "0 3 * * *", time_zone: "Europe/Berlin" }, "PUT");
await api("/api/schedules/quarter-hourly", { workflow: "thumbnails", input: { pictures: 3 }, interval_ms: 900_000, paused: true }, "PUT");
await api("/api/tokens", { name: "ci", scope: "launch" });
for (const run of [...runs, failed, retried, wide]) await ended(run);
const live = await start("report", { sections: ["sales", "stock", "staff", "summary", "annex"] }, { run_id: "weekly" });

const screens = {
  overview: "/",
  runs: "/runs",
  workflows: "/workflows",
  workflow: "/workflows/order",
  launch: "/workflows/order?tab=launch",
  "run-failed": `/runs/${failed}?step=charge`,
  "run-retried": `/runs/${retried}?tab=timeline&step=charge`,
  "run-wide": `/runs/${wide}`,
  "run-waiting": `/runs/${waiting}`,
  "run-live": `/runs/${live}?tab=timeline`,
  "run-tree": `/runs/${retried}?tab=tree`,
  "run-logs": `/runs/${live}?tab=logs`,
  "run-journal": `/runs/${failed}?tab=journal&at=9`,
  "run-data": `/runs/${retried}?tab=data`,
  "run-past": `/runs/${failed}?at=9`,
  schedules: "/schedules",
  access: "/access",
  settings: "/settings",
};
const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
const only = process.argv.slice(2);
for (const colorScheme of ["light", "dark"]) {
  for (const [size, width, height] of [["wide", 1360, 860], ["phone", 390, 844]]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height }, deviceScaleFactor: size === "phone" ? 2 : 1 });
    const page = await context.newPage();
    for (const [name, path] of Object.entries(screens)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(url + path);
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle", { timeout: 1_500 }).catch(() => undefined);
      await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`) });
    }
    await context.close();
  }
}
await browser.close();
server.removeAllListeners("exit");
server.kill();
rmSync(dir, { recursive: true, force: true });
console.log(`pictures of ${Object.keys(screens).length} screens are in ${out}`);
