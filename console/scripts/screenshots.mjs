// A picture of every screen of a real server that `make run` would have filled: in light and dark for the docs, or, with
// `--look`, wide and narrow as well, to look at while working.
//
//   node scripts/screenshots.mjs [--look] [SCREEN...]

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { startServer } from "../../examples/run.mjs";
import { seed } from "../../examples/seed.mjs";

const root = join(import.meta.dirname, "../..");
const isLook = process.argv.includes("--look");
const only = process.argv.slice(2).filter((word) => word !== "--look");
const out = join(root, isLook ? "console/screenshots" : "docs/images/console");
const dir = mkdtempSync(join(tmpdir(), "stepwell-shots-"));
mkdirSync(out, { recursive: true });

const binary = process.env.STEPWELL_SHOP_SERVER ?? join(root, "target/debug/shop-server");
const { child, url: started } = startServer(binary, ["--store", join(dir, "shop.db"), "--listen", "127.0.0.1:0"]);
const url = await started;
const { runs, recording } = await seed(url);
await Promise.all([runs.failed, runs.retried, runs.wide, runs.graph, runs.flow, runs.sequence].map((run) => fetch(`${url}/api/runs/${run}/wait?timeout_ms=60000`)));

const screens = {
  overview: "/",
  runs: "/runs",
  workflows: "/workflows",
  workflow: "/workflows/order-digest",
  launch: "/workflows/order?tab=launch",
  "run-graph": `/runs/${runs.graph}?step=shelves`,
  "run-sequence": `/runs/${runs.sequence}`,
  "run-flow": `/runs/${runs.flow}`,
  "run-failed": `/runs/${runs.failed}?step=charge`,
  "run-timeline": `/runs/${runs.retried}?tab=timeline&step=charge`,
  "run-wide": `/runs/${runs.wide}`,
  "run-waiting": `/runs/${runs.waiting}`,
  "run-tree": `/runs/${runs.retried}?tab=tree`,
  "run-logs": `/runs/${runs.report}?tab=logs`,
  "run-journal": `/runs/${runs.failed}?tab=journal&at=9`,
  "run-data": `/runs/${runs.flow}?tab=data`,
  "run-past": `/runs/${runs.failed}?at=9`,
  editor: "/workflows/order-digest/edit",
  catalog: "/catalog?goal=quote",
  "catalog-step": "/catalog?edit=gold-discount",
  recordings: "/recordings",
  recording: `/recordings/${recording}`,
  tools: "/tools",
  schedules: "/schedules",
  access: "/access",
  nodes: "/nodes",
  settings: "/settings",
};
const sizes = isLook ? { wide: [1360, 860], phone: [390, 844] } : { wide: [1240, 780] };
const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
for (const colorScheme of ["light", "dark"]) {
  for (const [size, [width, height]] of Object.entries(sizes)) {
    // Moving parts stand still, so that a picture that shows the same is the same.
    const context = await browser.newContext({ colorScheme, viewport: { width, height }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && console.error(`${page.url()}: ${message.text()}`));
    for (const [name, path] of Object.entries(screens)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(url + path);
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle", { timeout: 1_500 }).catch(() => undefined);
      await page.screenshot({ path: join(out, `${name}-${isLook ? `${size}-` : ""}${colorScheme}.png`) });
    }
    await context.close();
  }
}
await browser.close();
child.removeAllListeners("exit");
child.kill();
rmSync(dir, { recursive: true, force: true });
console.log(`pictures of ${only.length || Object.keys(screens).length} screens are in ${out}`);
