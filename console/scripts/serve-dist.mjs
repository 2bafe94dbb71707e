// A build of the console in front of a server that carries another one, or none: files come from the folder, and whatever is
// for programs goes to the server. The page's policy is the one that the server itself sends.

import { existsSync, readFileSync, statSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { extname, join } from "node:path";
import { pipeline } from "node:stream";

const root = join(import.meta.dirname, "../..");
const FOR_PROGRAMS = /^\/(api|health|metrics|webhooks|mcp)(\/|\?|$)/;
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

/** Resolves to the address where `dist` is served before the server at `server`, and a function that ends it. */
export async function serveDist(dist, server) {
  if (!existsSync(join(dist, "index.html"))) throw new Error(`there is no console in ${dist}: run \`npm run build\``);
  const policy = policyOf(readFileSync(join(root, "crates/server/src/console.rs"), "utf8"));
  const agent = new Agent({ keepAlive: true });
  const front = createServer((asked, answer) => {
    if (FOR_PROGRAMS.test(asked.url)) passOn(asked, answer, server, agent);
    else sendFile(asked, answer, dist, policy);
  });
  await new Promise((resolve) => front.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    front.closeAllConnections();
    front.close();
    agent.destroy();
  };
  return { url: `http://127.0.0.1:${front.address().port}`, stop };
}

function policyOf(source) {
  const found = /const POLICY: &str = "([^"]+)"/.exec(source);
  if (found === null) throw new Error("crates/server/src/console.rs has no POLICY any more: mend scripts/serve-dist.mjs");
  return found[1].replace(/\\\n\s*/g, "");
}

/** Answers are passed on as they come, for some of them are streams. */
function passOn(asked, answer, server, agent) {
  // The server refuses pages of other sites, which this one is to it.
  const { origin: _, ...headers } = asked.headers;
  const onward = request(server + asked.url, { method: asked.method, headers: { ...headers, host: new URL(server).host }, agent }, (got) => {
    answer.writeHead(got.statusCode, got.headers);
    // A stream has begun before it says anything.
    answer.flushHeaders();
    // A stream that was cut off is cut off here, too.
    pipeline(got, answer, () => answer.destroy());
  });
  // A server that restarts is away for a moment, as it is behind any proxy.
  onward.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
}

function sendFile(asked, answer, dist, policy) {
  const { pathname } = new URL(asked.url, "http://console");
  const wanted = join(dist, decodeURIComponent(pathname));
  const isFile = wanted.startsWith(dist) && existsSync(wanted) && statSync(wanted).isFile();
  if (!isFile && extname(pathname) !== "" && !asked.headers.accept?.includes("text/html")) {
    answer.writeHead(404).end();
    return;
  }
  const file = isFile ? wanted : join(dist, "index.html");
  const isPacked = existsSync(`${file}.gz`);
  answer.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "cache-control": pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": policy,
    ...(isPacked ? { "content-encoding": "gzip" } : {}),
  });
  answer.end(readFileSync(isPacked ? `${file}.gz` : file));
}
