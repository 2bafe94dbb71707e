// What `figures.mjs` measures the console with. A server that has some of it already is given the rest.

const AT_ONCE = 64;
const SHOPS = ["north", "south", "east", "west"];
/** One in so many runs is refused by its own check, so that there is something to filter. */
const REFUSED_EVERY = 50;
const PICTURES_MAX = 10_000;

/** Resolves to the ids of what there is to look at. */
export async function fill(url, nRuns) {
  const api = async (to, body, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(url + to, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const start = async (workflow, input, more) => (await api(`/api/workflows/${workflow}/runs`, { input, ...more })).run_id;

  const { counts } = await api("/api/runs?limit=1");
  let next = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const from = performance.now();
  const first = next;
  const one = async () => {
    while (next < nRuns) {
      const n = next++;
      const pictures = n % REFUSED_EVERY === 7 ? PICTURES_MAX + 1 : 0;
      await start("thumbnails", { pictures }, { labels: { shop: SHOPS[n % SHOPS.length], batch: String(n % 1000) } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  if (next > first) console.error(`started ${next - first} runs over HTTP in ${Math.round((performance.now() - from) / 1000)} s`);

  await api("/api/workflows/layers", layers(), "PUT");
  const ended = async (run) => {
    for (;;) {
      const { status } = await api(`/api/runs/${run}/wait?timeout_ms=60000`);
      if (status === "completed") return run;
      if (status === "failed" || status === "cancelled") throw new Error(`run ${run} ${status}`);
    }
  };
  // The key finds the run that there is.
  const wide = await ended(await start("thumbnails", { pictures: 5_000 }, { idempotency_key: "figures-wide" }));
  const fan = await ended(await start("thumbnails", { pictures: 500 }, { idempotency_key: "figures-fan" }));
  return { wide, fan };
}

/** Fifty layers of ten: each step takes what two of the layer before gave. */
function layers() {
  const steps = Array.from({ length: 500 }, (_, n) => {
    const [layer, at] = [Math.floor(n / 10), n % 10];
    const input = layer === 0 ? n : [`@s_${n - 10}`, `@s_${(layer - 1) * 10 + ((at + 1) % 10)}`];
    return { name: `s_${n}`, action: { code: "export default () => 1" }, input };
  });
  return { id: "layers", steps };
}
