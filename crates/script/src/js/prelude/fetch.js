// `fetch` with `Headers`, `Request` and `Response`. The host makes the request, or refuses to.

import { define, native, parse, stringify } from "stepwell:core";
import { bytesOf, encode } from "stepwell:encoding";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

class Headers {
  #values = Object.create(null);

  constructor(init) {
    if (init === undefined || init === null) return;
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  #key(name) {
    const text = String(name);
    if (!TOKEN.test(text)) throw new TypeError(`${text} is no name of a header`);
    return text.toLowerCase();
  }

  #value(value) {
    const text = String(value).trim();
    if (/[\0\r\n]/.test(text)) throw new TypeError("the value of a header has no line breaks");
    return text;
  }

  append(name, value) {
    const key = this.#key(name);
    const added = this.#value(value);
    this.#values[key] = key in this.#values ? [...this.#values[key], added] : [added];
  }

  set(name, value) {
    this.#values[this.#key(name)] = [this.#value(value)];
  }

  get(name) {
    return this.#values[this.#key(name)]?.join(", ") ?? null;
  }

  getSetCookie() {
    return [...(this.#values["set-cookie"] ?? [])];
  }

  has(name) {
    return this.#key(name) in this.#values;
  }

  delete(name) {
    delete this.#values[this.#key(name)];
  }

  forEach(visit, self) {
    for (const [name, value] of this) Reflect.apply(visit, self, [value, name, this]);
  }

  *entries() {
    for (const name of Object.keys(this.#values).sort()) yield [name, this.#values[name].join(", ")];
  }

  *keys() {
    for (const [name] of this.entries()) yield name;
  }

  *values() {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}

// The bytes of a body and the content type that goes with it.
function bodyOf(body) {
  if (body === undefined || body === null) return [null, null];
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return [bytesOf(body).slice(), null];
  if (body instanceof URLSearchParams) {
    return [encode(body.toString()), "application/x-www-form-urlencoded;charset=UTF-8"];
  }
  return [encode(String(body)), "text/plain;charset=UTF-8"];
}

class Body {
  #bytes;
  #isUsed = false;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  static bytesOf(body) {
    if (body.#isUsed) throw new TypeError("the body was read already");
    return body.#bytes;
  }

  #take() {
    const bytes = Body.bytesOf(this) ?? new Uint8Array(0);
    this.#isUsed = this.#bytes !== null;
    return bytes;
  }

  get bodyUsed() {
    return this.#isUsed;
  }

  async bytes() {
    return this.#take();
  }

  async arrayBuffer() {
    return this.#take().buffer;
  }

  async text() {
    return new TextDecoder().decode(this.#take());
  }

  async json() {
    return parse(new TextDecoder().decode(this.#take()));
  }
}

class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const method = String(init.method ?? from?.method ?? "GET");
    const given = init.body !== undefined;
    const [bytes, type] = given ? bodyOf(init.body) : [from ? Body.bytesOf(from) : null, null];
    super(bytes);
    if (!TOKEN.test(method)) throw new TypeError(`${method} is no HTTP method`);
    const upper = method.toUpperCase();
    this.method = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].includes(upper) ? upper : method;
    if (bytes !== null && (this.method === "GET" || this.method === "HEAD")) {
      throw new TypeError(`a ${this.method} request has no body`);
    }
    this.url = new URL(from ? from.url : String(input)).href;
    this.headers = new Headers(init.headers ?? from?.headers);
    this.redirect = init.redirect ?? from?.redirect ?? "follow";
    this.signal = init.signal ?? from?.signal ?? null;
    if (type !== null && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }

  clone() {
    return new Request(this);
  }
}

let received;

class Response extends Body {
  constructor(body, init = {}) {
    const [bytes, type] = bodyOf(body);
    super(bytes);
    this.status = init.status ?? 200;
    if (!(this.status >= 200 && this.status <= 599)) throw new RangeError("a status is between 200 and 599");
    this.statusText = String(init.statusText ?? "");
    this.headers = new Headers(init.headers);
    this.url = "";
    this.redirected = false;
    this.type = "default";
    if (type !== null && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }

  static {
    received = (head, bytes) => {
      const response = new Response(bytes, head);
      response.url = head.url;
      response.redirected = head.redirected;
      response.type = "basic";
      return response;
    };
  }

  static json(value, init = {}) {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(stringify(value), { ...init, headers });
  }

  get ok() {
    return this.status >= 200 && this.status <= 299;
  }

  clone() {
    const { status, statusText, headers } = this;
    const copy = new Response(Body.bytesOf(this)?.slice(), { status, statusText, headers });
    copy.url = this.url;
    copy.redirected = this.redirected;
    copy.type = this.type;
    return copy;
  }
}

const pending = Object.create(null);
let lastId = 0;

// The host has the answer, or the reason why there is none.
export function fetched(id, problem, head, body) {
  const waiting = pending[id];
  if (waiting === undefined) return;
  delete pending[id];
  if (problem !== undefined) waiting.reject(new TypeError(`fetch failed: ${problem}`));
  else waiting.resolve(received(parse(head), new Uint8Array(body)));
}

async function fetch(input, init) {
  const request = new Request(input, init);
  request.signal?.throwIfAborted();
  const { method, url, redirect } = request;
  const id = ++lastId;
  const answer = new Promise((resolve, reject) => {
    pending[id] = { resolve, reject };
  });
  const abort = () => {
    if (pending[id] === undefined) return;
    native.abortFetch(id);
    pending[id].reject(request.signal.reason);
    delete pending[id];
  };
  request.signal?.addEventListener("abort", abort, { once: true });
  try {
    const head = stringify({ method, url, redirect, headers: [...request.headers] });
    native.startFetch(id, head, Body.bytesOf(request)?.buffer);
    return await answer;
  } finally {
    request.signal?.removeEventListener("abort", abort);
  }
}

export function installFetch() {
  for (const type of [Headers, Request, Response]) define(type.name, type);
  define("fetch", fetch);
}
