/**
 * What files find around them besides the language: no more than the engine has, so that an editor offers nothing that
 * is missing when the workflow runs. Where a project's `lib` has the DOM, both fit together.
 */

interface Console {
  assert(condition?: boolean, ...data: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  debug(...data: any[]): void;
  dir(item?: any): void;
  error(...data: any[]): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  info(...data: any[]): void;
  log(...data: any[]): void;
  table(rows?: any): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  trace(...data: any[]): void;
  warn(...data: any[]): void;
}
declare var console: Console;

declare function setTimeout(handler: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setInterval(handler: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setImmediate(handler: (...args: any[]) => void, ...args: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function clearImmediate(id: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;

interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly cancelable: boolean;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
}
declare var Event: typeof globalThis extends { onmessage: any; Event: infer Theirs }
  ? Theirs
  : { prototype: Event; new (type: string, init?: { cancelable?: boolean }): Event };

interface EventTarget {
  addEventListener(
    type: string,
    listener: ((event: Event) => void) | { handleEvent(event: Event): void } | null,
    options?: boolean | { once?: boolean },
  ): void;
  removeEventListener(
    type: string,
    listener: ((event: Event) => void) | { handleEvent(event: Event): void } | null,
  ): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: typeof globalThis extends { onmessage: any; EventTarget: infer Theirs }
  ? Theirs
  : { prototype: EventTarget; new (): EventTarget };

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => any) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: typeof globalThis extends { onmessage: any; AbortSignal: infer Theirs }
  ? Theirs
  : {
      prototype: AbortSignal;
      abort(reason?: any): AbortSignal;
      any(signals: AbortSignal[]): AbortSignal;
      timeout(ms: number): AbortSignal;
    };

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: typeof globalThis extends { onmessage: any; AbortController: infer Theirs }
  ? Theirs
  : { prototype: AbortController; new (): AbortController };

interface DOMException extends Error {
  readonly code: number;
  readonly message: string;
  readonly name: string;
}
declare var DOMException: typeof globalThis extends { onmessage: any; DOMException: infer Theirs }
  ? Theirs
  : { prototype: DOMException; new (message?: string, name?: string): DOMException };

interface URLSearchParams {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(visit: (value: string, name: string, params: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var URLSearchParams: typeof globalThis extends { onmessage: any; URLSearchParams: infer Theirs }
  ? Theirs
  : {
      prototype: URLSearchParams;
      new (init?: string | string[][] | Record<string, string> | URLSearchParams): URLSearchParams;
    };

interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toJSON(): string;
  toString(): string;
}
declare var URL: typeof globalThis extends { onmessage: any; URL: infer Theirs }
  ? Theirs
  : {
      prototype: URL;
      new (url: string | URL, base?: string | URL): URL;
      canParse(url: string | URL, base?: string | URL): boolean;
      parse(url: string | URL, base?: string | URL): URL | null;
    };

interface TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: typeof globalThis extends { onmessage: any; TextEncoder: infer Theirs }
  ? Theirs
  : { prototype: TextEncoder; new (): TextEncoder };

interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: typeof globalThis extends { onmessage: any; TextDecoder: infer Theirs }
  ? Theirs
  : { prototype: TextDecoder; new (label?: "utf-8" | "utf8", options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder };

declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function structuredClone<T>(value: T): T;

interface Crypto {
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
}
declare var crypto: typeof globalThis extends { onmessage: any; crypto: infer Theirs } ? Theirs : Crypto;

interface Performance {
  /** Milliseconds since the call began. */
  now(): number;
}
declare var performance: typeof globalThis extends { onmessage: any; performance: infer Theirs } ? Theirs : Performance;

interface Headers {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(visit: (value: string, name: string, headers: Headers) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var Headers: typeof globalThis extends { onmessage: any; Headers: infer Theirs }
  ? Theirs
  : { prototype: Headers; new (init?: StepwellHeaders): Headers };

type StepwellHeaders = Headers | Record<string, string> | [string, string][];

interface StepwellRequestInit {
  method?: string;
  headers?: StepwellHeaders;
  body?: string | ArrayBuffer | ArrayBufferView | URLSearchParams | null;
  redirect?: "follow" | "error" | "manual";
  signal?: AbortSignal | null;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  json(): Promise<any>;
  text(): Promise<string>;
}
declare var Request: typeof globalThis extends { onmessage: any; Request: infer Theirs }
  ? Theirs
  : { prototype: Request; new (input: string | URL | Request, init?: StepwellRequestInit): Request };

interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Headers;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  clone(): Response;
  json(): Promise<any>;
  text(): Promise<string>;
}
declare var Response: typeof globalThis extends { onmessage: any; Response: infer Theirs }
  ? Theirs
  : {
      prototype: Response;
      new (
        body?: StepwellRequestInit["body"],
        init?: { status?: number; statusText?: string; headers?: StepwellHeaders },
      ): Response;
      json(value: any, init?: { status?: number; statusText?: string; headers?: StepwellHeaders }): Response;
    };

declare function fetch(input: string | URL | Request, init?: StepwellRequestInit): Promise<Response>;
