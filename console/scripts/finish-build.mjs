// Packs what can be packed, once, so that the server only has to send it; and holds the first load to its bound.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const FIRST_LOAD_BYTES_MAX = 500_000;
const PACKED = /\.(js|css|html|svg|json|map|txt)$/;
const dist = new URL("../dist", import.meta.url).pathname;

for (const path of readdirSync(dist, { recursive: true })) {
  const file = join(dist, String(path));
  if (!statSync(file).isFile() || file.endsWith(".gz")) continue;
  // Old browsers' fonts: every browser that can run the console reads woff2.
  if (file.endsWith(".woff")) rmSync(file);
  else if (PACKED.test(file)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
}

/** What a browser loads before it shows the first screen: the page, its scripts and styles, and the two Latin fonts. */
const index = readFileSync(join(dist, "index.html"), "utf8");
const named = [...index.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]).filter((name) => !name.startsWith("api/"));
const fonts = readdirSync(join(dist, "assets")).filter((name) => /-latin-(wght|standard)-normal.*\.woff2$/.test(name));
const loaded = ["index.html", ...named, ...fonts.map((name) => `assets/${name}`)];
let total = 0;
for (const name of new Set(loaded)) {
  const path = join(dist, name);
  const bytes = statSync(PACKED.test(path) ? `${path}.gz` : path).size;
  total += bytes;
  console.log(`${String(bytes).padStart(8)}  ${name}`);
}
console.log(`${String(total).padStart(8)}  first load, gzipped (at most ${FIRST_LOAD_BYTES_MAX})`);
if (total > FIRST_LOAD_BYTES_MAX) process.exit(1);
