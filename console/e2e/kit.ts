/** A real server with a store of its own, and a real browser that looks at it. */

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve as resolvePath } from "node:path";

import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

import { serveDist } from "../scripts/serve-dist.mjs";

/** How long something may take before a test says that it did not come. */
export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60_000);

const ROOT = join(import.meta.dirname, "../..");
const BINARY = process.env.STEPWELL_SHOP_SERVER ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug/shop-server");
/** A build of the console to look at, in place of the one that the server carries. */
const DIST = process.env.STEPWELL_CONSOLE_DIST;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** A tool server as `mcp.json` names it. */
export interface ToolServer {
  command: string;
  args?: string[];
}

export const WAREHOUSE: ToolServer = { command: process.execPath, args: [join(ROOT, "examples/graph/warehouse.mjs")] };

/** Workflows in Rust and in TypeScript, and a real tool server behind them. */
export class Server {
  url = "";
  private listens = "127.0.0.1:0";
  private front: { url: string; stop: () => void } | null = null;
  private process: ChildProcess | null = null;
  private readonly dir = mkdtempSync(join(tmpdir(), "stepwell-e2e-"));

  constructor(
    private readonly token?: string,
    tools: Record<string, ToolServer> = { warehouse: WAREHOUSE },
  ) {
    writeFileSync(join(this.dir, "mcp.json"), JSON.stringify({ mcpServers: tools }));
  }

  /** Starts it; again, after a kill, at the same address with the same store. */
  async start(): Promise<void> {
    const environment = { ...process.env, ...(this.token === undefined ? {} : { STEPWELL_ADMIN_TOKEN: this.token }) };
    const folders = ["--workflows", join(ROOT, "examples/sequence/samples/control-flow"), "--mcp-config", join(this.dir, "mcp.json")];
    const child = spawn(BINARY, ["--store", join(this.dir, "shop.db"), "--listen", this.listens, ...folders], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
    this.process = child;
    const own = await new Promise<string>((resolve, reject) => {
      let said = "";
      const hear = (part: Buffer) => {
        said += part.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (found !== null) resolve(found[0]);
      };
      child.stdout?.on("data", hear);
      child.stderr?.on("data", hear);
      child.on("error", reject);
      child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    });
    this.listens = own.replace("http://", "");
    if (DIST !== undefined) this.front ??= await serveDist(resolvePath(DIST), own);
    this.url = this.front?.url ?? own;
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    const child = this.process;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    this.front?.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async api<T>(to: string, body?: unknown, method = body === undefined ? "GET" : "POST"): Promise<T> {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (this.token !== undefined) headers.authorization = `Bearer ${this.token}`;
    const response = await fetch(this.url + to, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${to}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  }

  async launch(workflow: string, input: unknown, more: object = {}): Promise<string> {
    const { run_id } = await this.api<{ run_id: string }>(`/api/workflows/${workflow}/runs`, { input, ...more });
    return run_id;
  }

  async ended(run: string): Promise<{ status: string }> {
    return this.api(`/api/runs/${run}/wait?timeout_ms=${PATIENCE_MS}`);
  }
}

/** What `make run` fills a server with. */
export interface Seeded {
  runs: Record<"failed" | "retried" | "wide" | "waiting" | "report" | "sequence" | "graph" | "nested" | "flow", string>;
  recording: string;
}

export async function seed(server: Server): Promise<Seeded> {
  const { seed: fill } = (await import(join(ROOT, "examples/seed.mjs"))) as { seed: (url: string) => Promise<Seeded> };
  return fill(server.url);
}

export const ORDER = { item: "tea", n: 2, cents: 999, card: "4242" };

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Replaces what a code editor holds. One that has only just been shown may not have the focus yet: then again. */
export async function write(page: Page, editor: string, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: editor });
  for (let n = 0; n < 10; n += 1) {
    await box.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
    if ((await box.innerText()).trim() === text) return;
  }
  throw new Error(`${editor} does not take ${text}`);
}

/** A server of its own for each file of tests, a tab of its own for each test; whatever the browser complained about fails it. */
export function openConsole(tools?: Record<string, ToolServer>): { readonly page: Page; readonly server: Server } {
  const server = new Server(undefined, tools);
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    browser = await openBrowser();
    await server.start();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
  });
  afterEach(async () => {
    await tab.context.close();
    expect(tab.complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server.remove();
  });
  return {
    get page() {
      return tab.page;
    },
    server,
  };
}

/** A box of a picture, by a part of its title. */
export const boxOf = (page: Page, name: string) => page.locator(".box", { has: page.locator(".box-title", { hasText: name }) });

/** How the run on the page stands. */
export const statusOf = (page: Page, word: string) => page.locator(".run-head .status", { hasText: word });

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** What the browser complained about: errors of scripts, refused by the policy, and the like. */
  complaints: string[];
}

export async function openTab(browser: Browser, more: Parameters<Browser["newContext"]>[0] = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...more });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // Answers such as 422 and a server that is away are what some tests are about.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) complaints.push(message.text());
  });
  return { page, context, complaints };
}
