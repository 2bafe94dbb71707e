// The module `stepwell` that workflow files import.

import { KIND, callSite, registered } from "stepwell:sequence";

const BEHAVIORS = ["stop", "continue", "retry"];
const BACKOFFS = ["linear", "exponential"];
const HTTP_ATTEMPTS = 3;

// An error that says what is to follow: `stop` (the default), `continue` or `retry`.
export class StepError extends Error {
  constructor(message, options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const { behavior = "stop", maxAttempts, backoff, jitter } = options;
    oneOf("behavior", behavior, BEHAVIORS);
    if (backoff !== undefined) oneOf("backoff", backoff, BACKOFFS);
    if (maxAttempts !== undefined && !(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
      throw new TypeError(`StepError: maxAttempts must be a whole number from 1, not ${String(maxAttempts)}`);
    }
    Object.defineProperty(this, "name", { value: "StepError", configurable: true, writable: true });
    this.isStepError = true;
    this.behavior = behavior;
    if (maxAttempts !== undefined) this.maxAttempts = maxAttempts;
    if (backoff !== undefined) this.backoff = backoff;
    if (jitter !== undefined) this.jitter = jitter;
  }
}

function oneOf(name, value, allowed) {
  if (!allowed.includes(value)) {
    throw new TypeError(`StepError: ${name} must be one of ${allowed.join(", ")}, not ${String(value)}`);
  }
}

// The results of steps: `Results({ findTree: z.object({...}) })`, or `Results<{ findTree: Tree }>()` for types only.
// With `{ validate: true }` a step whose result does not fit its schema fails.
export function Results(schemas = {}, options = {}) {
  return { schemas, validate: options.validate === true, Steps: undefined };
}

const node = (type, options) => ({ [KIND]: { type, ...options, site: callSite() } });

// `{ name, if, then, else }`
export const branch = (options) => node("branch", { options });

// `{ name, body, until, maxIterations }`
export const loop = (options) => node("loop", { options });

// `{ name, steps }`
export const parallel = (options) => node("parallel", { options });

// `{ name, items, steps, concurrency }`
export const forEach = (options) => node("forEach", { options });

// Another workflow as one step: a file (`./payment.ts`), the name of a registered workflow, or what createWorkflow made.
export function workflow(target, options = {}) {
  return node("workflow", { target, options });
}

// A durable wait.
export function delayStep(options = {}) {
  const { milliseconds = 0, seconds = 0, minutes = 0, hours = 0, days = 0 } = options;
  const ms = milliseconds + 1000 * (seconds + 60 * (minutes + 60 * (hours + 24 * days)));
  return node("delay", { options, ms });
}

const isJson = (type) => /[/+]json\b/i.test(type ?? "");

function retries(retryOn, status) {
  const classes = retryOn ?? ["5xx", "connection"];
  return classes.some((known) => {
    if (typeof known === "number") return known === status;
    if (known === "connection") return status === null;
    return status !== null && known === `${Math.floor(status / 100)}xx`;
  });
}

// A request as a step. `url`, `headers` and `body` may be functions of the context.
export function httpStep(options = {}) {
  const { method = "GET", retryOn, maxAttempts = HTTP_ATTEMPTS, backoff = "exponential" } = options;
  const of = (value, context) => (typeof value === "function" ? value(context) : value);
  const request = async (context) => {
    const url = await of(options.url, context);
    const headers = { ...(await of(options.headers, context)) };
    const has = (name) => Object.keys(headers).some((known) => known.toLowerCase() === name);
    let body = await of(options.body, context);
    if (body !== undefined && typeof body !== "string") {
      body = JSON.stringify(body);
      if (!has("content-type")) headers["content-type"] = "application/json";
    }
    if (!has("idempotency-key")) headers["idempotency-key"] = context.idempotencyKey;
    if (!has("traceparent")) headers.traceparent = context.traceparent;
    const fail = (message, status, more) => {
      const behavior = retries(retryOn, status) ? "retry" : "stop";
      const error = new StepError(message, behavior === "retry" ? { behavior, maxAttempts, backoff } : { behavior });
      throw Object.assign(error, more);
    };
    let response;
    let text;
    try {
      response = await fetch(url, { method, headers, body, signal: context.signal });
      text = await response.text();
    } catch (error) {
      if (context.signal.aborted) throw error;
      fail(`${method} ${url}: ${error.message}`, null, {});
    }
    context.state.httpStatus = response.status;
    if (!response.ok) {
      const said = `${method} ${url} answered ${response.status} ${response.statusText}`.trim();
      fail(said, response.status, { status: response.status, body: text.slice(0, 1000) });
    }
    if (!isJson(response.headers.get("content-type"))) return text;
    return text === "" ? null : JSON.parse(text);
  };
  const about = `${method} ${typeof options.url === "string" ? options.url : "(a URL that is computed)"}`;
  request[KIND] = { type: "http", options, about, site: callSite() };
  return request;
}

// The builder: the same as a file's exports, one call after another.
export function createWorkflow(name) {
  const made = { name, steps: [], input: undefined, description: undefined, onError: undefined, results: undefined };
  const builder = { [KIND]: { type: "builder", made, site: callSite() } };
  const put = (key) => (value) => {
    made[key] = value;
    return builder;
  };
  const add = (of) => (value) => {
    made.steps.push(of(value));
    return builder;
  };
  return Object.assign(builder, {
    input: put("input"),
    description: put("description"),
    onError: put("onError"),
    results: put("results"),
    step: add((step) => step),
    steps: (list) => {
      made.steps.push(...list);
      return builder;
    },
    branch: add(branch),
    loop: add(loop),
    parallel: add(parallel),
    forEach: add(forEach),
    workflow: add(workflow),
    register: () => {
      registered.push(made);
      return builder;
    },
  });
}
