// Starts a server with workflows of all four dialects, and fills it: `make run` builds one and calls this.
//
//   node examples/run.mjs target/release/shop-server [--store FILE] [--listen ADDRESS]

import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import process from "node:process";

import { seed } from "./seed.mjs";

const root = join(import.meta.dirname, "..");
const dirs = ["--workflows", "examples/sequence/samples/control-flow", "--mcp-config", "examples/graph/mcp.json"];

/** Resolves to its address, once it has one. `said` hears what it prints. */
export function startServer(binary, args, said = () => undefined) {
  const child = spawn(binary, [...dirs, ...args], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const url = new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (part) => {
      said(part);
      text += part;
      const found = /http:\/\/[\d.]+:\d+/.exec(text);
      if (found !== null) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${relative(root, binary)} ended with ${code}`)));
  });
  return { child, url };
}

if (import.meta.filename === process.argv[1]) {
  const [binary, ...args] = process.argv.slice(2);
  const { child, url } = startServer(binary, args);
  child.on("exit", (code) => process.exit(code ?? 1));
  // A terminal tells the server, too; this waits for it to end.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill());
  const address = await url.catch(({ message }) => message);
  if (!address.startsWith("http")) throw new Error(address);
  await seed(address);
  console.log(`\n  The console:  ${address}\n  The API:      ${address}/api/docs\n\n  Workflows in Rust, TypeScript and JSON, and steps of flows; some have run. Stop with Ctrl-C; kill it, start it again, and see runs go on.\n`);
}
