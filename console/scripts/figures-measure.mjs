// What `figures.mjs` measures. Times are taken inside the page, from what a person does to the frame that shows it.

const FRAMES = 120;
/** Shares of the journal that the slider is moved to, in an order that nothing foresees. */
const MOVES = [0.33, 0.9, 0.05, 0.61, 0.47, 0.98, 0.2, 0.75];

/** Notes what keeps the page's thread busy, and how long workers take, from the first line of every page. */
export async function watchPage(context) {
  await context.addInitScript(() => {
    const watch = { tasks: [], workers: [] };
    globalThis.figures = watch;
    new PerformanceObserver((list) => watch.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: true });
    const Real = globalThis.Worker;
    globalThis.Worker = class extends Real {
      constructor(...all) {
        super(...all);
        this.addEventListener("message", () => watch.workers.push(performance.now() - this.asked));
      }
      postMessage(...all) {
        this.asked = performance.now();
        super.postMessage(...all);
      }
    };
    /** Resolves with the time when `is` holds, after the frame that shows it. */
    watch.until = (is) =>
      new Promise((done) => {
        const look = () => (is() ? requestAnimationFrame(() => setTimeout(() => done(performance.now()))) : requestAnimationFrame(look));
        look();
      });
    watch.type = (field, text) => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    };
    /** The times between frames while something is done in each of them. */
    watch.frames = async (n, act) => {
      const gaps = [];
      let last = performance.now();
      for (let k = 0; k < n; k += 1) {
        act(k);
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        gaps.push(now - last);
        last = now;
      }
      gaps.sort((a, b) => a - b);
      return { median: gaps[n >> 1], worst: gaps.at(-1) };
    };
    watch.longest = () => Math.max(0, ...watch.tasks.splice(0));
  });
}

/** Opens a page; resolves with how long it took until the selector matched, as the page itself counts. */
async function open(page, to, selector) {
  await page.goto(to, { waitUntil: "commit" });
  return page.evaluate((wanted) => globalThis.figures.until(() => document.querySelector(wanted) !== null), selector);
}

const longest = (page) => page.evaluate(() => globalThis.figures.longest());

export async function measureList(page, url, _, note) {
  note("list of runs: first rows", await open(page, `${url}/runs`, "[data-run]"));
  const scrolled = await page.evaluate(async (n) => {
    const pane = document.querySelector(".run-table");
    globalThis.figures.longest();
    const frames = await globalThis.figures.frames(n, () => pane.scrollBy(0, 400));
    return { ...frames, top: pane.scrollTop, longest: globalThis.figures.longest() };
  }, FRAMES);
  if (scrolled.top < 10_000) throw new Error(`the list scrolled to ${scrolled.top} px only`);
  note("list of runs: between frames while scrolling, median", scrolled.median);
  note("list of runs: between frames while scrolling, worst", scrolled.worst);
  const filtered = (act, word) =>
    page.evaluate(
      async ([source, text]) => {
        const from = performance.now();
        if (source === "click") [...document.querySelectorAll(".status-filter button")].find((one) => one.textContent.startsWith(text)).click();
        else globalThis.figures.type(document.querySelector("[data-search]"), text);
        const rows = () => [...document.querySelectorAll("[data-run]")];
        return (await globalThis.figures.until(() => rows().length > 0 && rows().every((row) => row.textContent.includes(text)))) - from;
      },
      [act, word],
    );
  note("list of runs: only those that failed", await filtered("click", "Failed"));
  await open(page, `${url}/runs`, "[data-run]");
  note("list of runs: by text, from the first key to the rows", await filtered("type", "10001"));
  note("list of runs: by a label", await open(page, `${url}/runs?label=batch%3D77`, "[data-run]"));
}

export async function measureRun(page, url, { wide }, note) {
  note("run of 15,000 events: graph drawn", await open(page, `${url}/runs/${wide}`, ".box"));
  note("run of 15,000 events: all of it read", await page.evaluate(() => globalThis.figures.until(() => /^Run/.test(document.querySelector(".travel-event .mono")?.textContent ?? ""))));
  note("run of 15,000 events: page busy at a time, until then", await longest(page));
  for (const tab of ["graph", "timeline", "tree", "journal"]) {
    await page.evaluate((id) => document.querySelector(`#tab-${id}`).click(), tab);
    await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    const moved = await page.evaluate(slide, tab === "graph" ? MOVES : MOVES.slice(0, 4).map((share) => share + 0.001 * tab.length));
    note(`slider moved, everything redrawn (${tab}), median`, moved.median);
    note(`slider moved, everything redrawn (${tab}), worst`, moved.worst);
    note(`slider moved, page busy at a time (${tab})`, moved.longest);
  }
  await page.evaluate(() => document.querySelector("#tab-graph").click());
  const dragged = await page.evaluate(drag, FRAMES);
  note("slider dragged: between frames, median", dragged.median);
  note("slider dragged: between frames, worst", dragged.worst);
  note("slider dragged: from its rest to the right picture", dragged.rest);
  note("slider dragged: between two pictures on the way", dragged.between);
}

async function slide(moves) {
  const slider = document.querySelector(".travel input");
  const shown = () => document.querySelector(".tag.past")?.textContent;
  const took = [];
  globalThis.figures.longest();
  for (const share of moves) {
    const seq = Math.round(Number(slider.max) * share);
    const from = performance.now();
    globalThis.figures.type(slider, String(seq));
    took.push((await globalThis.figures.until(() => shown() === `as of event ${seq}`)) - from);
  }
  took.sort((a, b) => a - b);
  return { median: took[took.length >> 1], worst: took.at(-1), longest: globalThis.figures.longest() };
}

async function drag(n) {
  const slider = document.querySelector(".travel input");
  const shown = () => document.querySelector(".tag.past")?.textContent;
  const pictures = new Set();
  const from = performance.now();
  const frames = await globalThis.figures.frames(n, (k) => {
    pictures.add(shown());
    globalThis.figures.type(slider, String(Math.round((Number(slider.max) * (k + 1)) / (n + 1))));
  });
  const rested = performance.now();
  const rest = (await globalThis.figures.until(() => shown() === `as of event ${slider.value}`)) - rested;
  return { ...frames, rest, between: (rested - from) / pictures.size };
}

export async function measureGraph(page, url, { fan }, note) {
  note("graph of 500 steps in fifty layers: opened, laid out and drawn", await open(page, `${url}/workflows/layers`, ".box"));
  note("graph of 500 steps in fifty layers: laid out in the worker", await page.evaluate(() => Math.max(...globalThis.figures.workers)));
  note("graph of 500 steps in fifty layers: page busy at a time", await longest(page));
  note("graph of 500 steps in fifty layers: between frames while it is moved, worst", (await page.evaluate(move, FRAMES)).worst);
  await open(page, `${url}/runs/${fan}`, ".box-open");
  await page.evaluate(() => globalThis.figures.longest());
  const unfolded = await page.evaluate(async () => {
    const from = performance.now();
    document.querySelector(".box-open").click();
    return (await globalThis.figures.until(() => document.querySelectorAll(".box").length > 5)) - from;
  });
  note("fan-out of 500 unfolded: laid out and drawn", unfolded);
  note("fan-out of 500 unfolded: page busy at a time", await longest(page));
}

async function move(n) {
  const pane = document.querySelector(".react-flow__pane");
  const { left, top, width, height } = pane.getBoundingClientRect();
  const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true };
  // Out until all of it is in sight, and in again.
  return globalThis.figures.frames(n, (k) => pane.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: k < n / 2 ? 60 : -60 })));
}

/** What of it is the server's part. */
export async function measureServer(url, { wide }, note) {
  const requests = {
    "first page of runs": "/api/runs?limit=100",
    "runs by text": "/api/runs?limit=100&q=10001",
    "runs by label": "/api/runs?limit=100&label=batch%3D77",
    "the run of 15,000 events": `/api/runs/${wide}`,
    "the same as of event 5,000": `/api/runs/${wide}?at=5000`,
    "the same as of event 12,345": `/api/runs/${wide}?at=12345`,
    "1,000 events of its journal": `/api/runs/${wide}/journal?from=5000&limit=1000`,
  };
  for (const [what, to] of Object.entries(requests)) {
    const from = performance.now();
    const text = await (await fetch(url + to)).text();
    note(`server: ${what}, ${Math.round(text.length / 1024).toLocaleString("en")} KiB`, performance.now() - from);
  }
}
