/** Requests. Whatever goes wrong is a `Problem` that says what to do. */

import { headers, session } from "./session";

export interface FieldError {
  path: string;
  message: string;
}

/** What the server, or the way to it, has against a request. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly errors: FieldError[];

  constructor(about: { status: number; code: string; title: string; detail: string; errors?: FieldError[] }) {
    super(about.detail);
    this.status = about.status;
    this.code = about.code;
    this.title = about.title;
    this.errors = about.errors ?? [];
  }

  /** Whether the same request may do better in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

export type Query = Record<string, string | number | undefined | null | string[]>;

export interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.map((part, n) => part + (n < values.length ? encodeURIComponent(String(values[n])) : "")).join("");
}

export function withQuery(to: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
  }
  const text = params.toString();
  return text === "" ? to : `${to}?${text}`;
}

export async function call<T>(to: string, { method = "GET", query, body, signal }: Call = {}): Promise<T> {
  const response = await send(withQuery(to, query), {
    method,
    signal,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

/** A request with token and namespace; an answer that is an error is thrown. */
export async function send(to: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(to, { ...init, headers: { ...init.headers, ...headers() } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem({
      status: 0,
      code: "unreachable",
      title: "The server does not answer",
      detail: "It may be restarting. The console tries again by itself.",
    });
  }
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (problem.status === 401) session.refused();
  throw problem;
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  try {
    const said = JSON.parse(text) as Record<string, unknown>;
    return new Problem({
      status: response.status,
      code: String(said.code ?? "unknown"),
      title: String(said.title ?? response.statusText),
      detail: String(said.detail ?? text),
      errors: Array.isArray(said.errors) ? (said.errors as FieldError[]) : [],
    });
  } catch {
    return new Problem({
      status: response.status,
      code: "unknown",
      title: `The answer was ${response.status}`,
      detail: text.slice(0, 300) || response.statusText,
    });
  }
}
