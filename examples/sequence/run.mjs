// Runs every example against a real server, and compares how it ends with `expected.json`:
//
//   node examples/sequence/run.mjs path/to/stepwell [NAME...]
//
// There, each folder of workflows has its entries: `workflow`, `input`, and either `output` or `error`, a part of the
// message; `output` may leave members of objects out. With names, only these workflows run, and what they give is printed.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const AT_A_TIME = 4;
const START_MS = 120_000;
const WAIT = "120s";

const here = path.dirname(fileURLToPath(import.meta.url));
const [stepwell, ...only] = process.argv.slice(2);
const dir = mkdtempSync(path.join(os.tmpdir(), "stepwell-examples-"));
const children = [];

// Starts a server and gives the address that it prints.
function serve(command, args) {
  const child = spawn(command, args, { cwd: dir, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`${command} does not start:\n${said}`)), START_MS);
    const hear = (chunk) => {
      said += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (found === null) return;
      clearTimeout(timer);
      resolve(found[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}:\n${said}`)));
  });
}

function run(command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [output, said] = ["", ""];
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, said }));
  });
}

// Whether `found` has all that is expected.
function fits(found, expected) {
  if (typeof expected !== "object" || expected === null) return Object.is(found, expected);
  if (Array.isArray(expected)) {
    return Array.isArray(found) && found.length === expected.length && expected.every((item, n) => fits(found[n], item));
  }
  const isObject = typeof found === "object" && found !== null && !Array.isArray(found);
  return isObject && Object.entries(expected).every(([key, value]) => fits(found[key], value));
}

async function check({ workflow, input, output, error }, server) {
  const args = ["start", workflow, "--wait", "--quiet", "--timeout", WAIT, "--server", server];
  if (input !== undefined) args.push("--input", JSON.stringify(input));
  const ended = await run(stepwell, args);
  const shown = `${workflow} ${JSON.stringify(input ?? null)}`;
  if (only.length > 0) console.log(shown, ended);
  if (error !== undefined) {
    return ended.code !== 0 && ended.said.includes(error) ? undefined : `${shown}: expected the error "${error}", and got ${JSON.stringify(ended)}`;
  }
  // Nothing is printed for a run without a result.
  const found = ended.code !== 0 ? undefined : ended.output.trim() === "" ? null : JSON.parse(ended.output);
  return fits(found, output) ? undefined : `${shown}: expected ${JSON.stringify(output)}, and got ${JSON.stringify(ended)}`;
}

// Serves a folder and runs what is expected of it. Gives what did not end as it should.
async function checkFolder(folder, expected) {
  const files = path.join(here, folder);
  const checked = await run(stepwell, ["check", files]);
  if (checked.code !== 0) throw new Error(`stepwell check ${folder}:\n${checked.output}${checked.said}`);
  const store = `sqlite:${path.join(dir, `${folder.replaceAll("/", "-")}.db`)}`;
  const server = await serve(stepwell, ["serve", "--workflows", files, "--store", store, "--listen", "127.0.0.1:0"]);
  const waiting = expected.filter(({ workflow }) => only.length === 0 || only.includes(workflow));
  const problems = [];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const problem = await check(next, server);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return problems;
}

async function main() {
  const shop = await serve(process.execPath, [path.join(here, "order-processing/server.mjs"), "0"]);
  const expected = JSON.parse(readFileSync(path.join(here, "expected.json"), "utf8").replaceAll("$SHOP", shop));
  let nProblems = 0;
  for (const [folder, entries] of Object.entries(expected)) {
    const problems = await checkFolder(folder, entries);
    for (const problem of problems) console.error(problem);
    console.log(`${folder}: ${entries.length} runs, ${problems.length} of them not as expected`);
    nProblems += problems.length;
  }
  return nProblems === 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const child of children) {
    child.removeAllListeners("exit");
    child.kill();
  }
  rmSync(dir, { recursive: true, force: true });
}
