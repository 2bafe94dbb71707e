// What the engine has, beside the language.
import { same } from "./same";

export async function everything() {
  console.log("a", 1); console.table([{ a: 1 }]); console.group("x"); console.groupEnd(); console.timeLog("t");
  const timer = setTimeout((n: number) => console.info(n), 10, 1);
  clearTimeout(timer);
  queueMicrotask(() => {});
  const url = new URL("/x", "https://example.com");
  url.searchParams.set("a", "1");
  same<string>()(url.searchParams.toString());
  same<boolean>()(URL.canParse("x"));
  const response = await fetch(url, { method: "POST", headers: { a: "b" }, body: JSON.stringify({}), signal: AbortSignal.timeout(100) });
  if (!response.ok) throw new DOMException(response.statusText, "NetworkError");
  same<string | null>()(response.headers.get("content-type"));
  const controller = new AbortController();
  controller.signal.addEventListener("abort", () => console.warn(controller.signal.reason), { once: true });
  controller.abort();
  const bytes = new TextEncoder().encode("text");
  same<string>()(new TextDecoder("utf-8").decode(bytes));
  const copy = structuredClone({ when: new Date(), map: new Map([[1, 2]]) });
  same<Date>()(copy.when);
  const id: string = crypto.randomUUID();
  crypto.getRandomValues(new Uint8Array(4));
  same<number>()(performance.now());
  new EventTarget().dispatchEvent(new Event("x"));
  return [id, btoa("x"), atob("eA=="), await response.json(), Response.json({ a: 1 }).status];
}
export const steps = [everything];
