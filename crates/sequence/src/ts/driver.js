// Reads what a file defines, and calls its functions. The host calls `describe` once, and then `run` with the id of a
// function: the way to it from the file's workflow, as JSON.

import { emit, positionOf, signal } from "stepwell:host";
import { KIND, registered } from "stepwell:sequence";

const CONFIG = ["fn", "timeout", "onTimeout", "maxAttempts", "backoff", "onError", "name"];
const DEPTH_MAX = 40;

// The workflow of this name, or the file's own.
function rootOf(exports, name) {
  if (name === "") return exports;
  return registered.find((made) => made.name === name);
}

const kindOf = (value) => value?.[KIND];
const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "an array" : typeof value);
const listOf = (value) => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

// ---- describing ----

function describeOne(root, name, isFile) {
  const problems = [];
  const path = [name];
  const says = (message, at) => problems.push({ message, at: at ?? null });
  const described = { root: name, name: null, description: null, problems, hasInput: root.input !== undefined };
  if (root.name !== undefined && typeof root.name !== "string") says(`\`name\` must be a string, and is ${typeOf(root.name)}`);
  else described.name = root.name ?? null;
  if (root.description !== undefined && typeof root.description !== "string") {
    says(`\`description\` must be a string, and is ${typeOf(root.description)}`);
  } else described.description = root.description ?? null;
  described.onError = functionAt(root.onError, [...path, "onError"], "onError", says);
  if (!Array.isArray(root.steps)) {
    const where = isFile ? "`export const steps = [...]`" : "`.step(...)`";
    says(`there are no steps: ${where} lists them, and \`steps\` is ${typeOf(root.steps)}`);
    described.steps = [];
  } else described.steps = nodesAt(root.steps, [...path, "steps"], says, 0);
  return described;
}

function functionAt(value, path, what, says, at) {
  if (value === undefined) return null;
  if (typeof value === "function") return JSON.stringify(path);
  says(`${what} must be a function, and is ${typeOf(value)}`, at);
  return null;
}

function nodesAt(list, path, says, depth) {
  if (depth > DEPTH_MAX) {
    says(`steps lie in one another more than ${DEPTH_MAX} levels deep`);
    return [];
  }
  return listOf(list).flatMap((value, n) => nodeAt(value, [...path, n], says, depth) ?? []);
}

function nodeAt(value, path, says, depth) {
  const kind = kindOf(value);
  if (kind === undefined && typeof value === "function") return stepAt(value, {}, path, says);
  if (kind === undefined && typeof value === "object" && value !== null && !Array.isArray(value)) {
    return configAt(value, path, says, depth);
  }
  switch (kind?.type) {
    case "http":
      return stepAt(value, kind.options, path, says);
    case "delay":
      return delayAt(kind, path, says);
    case "builder":
      return builderAt(kind, path, says, depth);
    case "workflow":
      return workflowAt(kind, path, says, depth);
    case "branch":
    case "loop":
    case "parallel":
    case "forEach":
      return blockAt(kind, path, says, depth);
  }
  const place = path.filter((part) => typeof part === "number").at(-1) ?? 0;
  says(`entry ${place + 1} of \`${path.at(-2)}\` is ${typeOf(value)}: a step is a function, { fn, ... }, or what workflow(), branch(), loop(), parallel(), forEach(), httpStep() or delayStep() give`);
  return null;
}

// `{ fn, timeout, ... }`
function configAt(config, path, says, depth) {
  const at = positionOf(config.fn) ?? kindOf(config.fn)?.site ?? null;
  for (const key of Object.keys(config)) {
    if (!CONFIG.includes(key)) says(`a step has no option \`${key}\`; there are ${CONFIG.join(", ")}`, at);
  }
  const kind = kindOf(config.fn);
  if (kind !== undefined && kind.type !== "http") {
    const node = nodeAt(config.fn, [...path, "fn"], says, depth);
    if (node === null) return null;
    if (typeof config.name === "string") Object.assign(node, { name: config.name, isNamed: true });
    const onError = functionAt(config.onError, [...path, "onError"], "`onError`", says, at);
    return { ...node, config: { ...node.config, ...plain(config) }, onError };
  }
  if (typeof config.fn !== "function") {
    says(`a step's \`fn\` must be a function, and is ${typeOf(config.fn)}`, at);
    return null;
  }
  return stepAt(config.fn, { ...kind?.options, ...config }, path, says, true);
}

// The options as the host checks them: what is no plain value is named by its type.
function plain(options) {
  const values = {};
  for (const key of ["timeout", "onTimeout", "maxAttempts", "backoff"]) {
    const value = options[key];
    if (value === undefined) continue;
    values[key] = ["number", "string", "boolean"].includes(typeof value) ? value : { type: typeOf(value) };
    if (typeof value === "number" && !Number.isFinite(value)) values[key] = { type: String(value) };
  }
  return values;
}

function stepAt(fn, options, path, says, isConfig = false) {
  const kind = kindOf(fn);
  const at = kind?.site ?? positionOf(fn);
  const config = plain(options);
  if (kind !== undefined) {
    // Those of the request decide about its own errors.
    if (!isConfig) delete config.maxAttempts;
    delete config.backoff;
  }
  return {
    type: "step",
    name: options.name ?? (kind === undefined ? fn.name : "httpStep"),
    isNamed: options.name !== undefined || kind === undefined,
    function: JSON.stringify(isConfig ? [...path, "fn"] : path),
    about: kind?.about ?? null,
    config,
    onError: isConfig ? functionAt(options.onError, [...path, "onError"], "`onError`", says, at) : null,
    reads: kind === undefined ? readsOf(fn) : [],
    at,
  };
}

function delayAt(kind, path, says) {
  if (!(Number.isFinite(kind.ms) && kind.ms >= 0)) {
    says("delayStep wants a length that is not negative, such as { seconds: 5 }", kind.site);
    return null;
  }
  const { name } = kind.options;
  return { type: "delay", name: name ?? "delayStep", isNamed: name !== undefined, ms: Math.round(kind.ms), config: {}, onError: null, at: kind.site };
}

function builderAt(kind, path, says, depth) {
  const { made } = kind;
  return {
    type: "workflow",
    name: made.name,
    isNamed: true,
    onError: null,
    at: kind.site,
    inline: {
      name: made.name,
      description: made.description ?? null,
      onError: functionAt(made.onError, [...path, "onError"], "`onError`", says, kind.site),
      steps: nodesAt(made.steps, [...path, "steps"], says, depth + 1),
    },
  };
}

function workflowAt(kind, path, says, depth) {
  const { target, options, site } = kind;
  const { name } = options;
  const common = {
    type: "workflow",
    isNamed: name !== undefined,
    onError: functionAt(options.onError, [...path, "options", "onError"], "`onError`", says, site),
    at: site,
  };
  if (kindOf(target)?.type === "builder") {
    const nested = builderAt(kindOf(target), [...path, "target"], says, depth);
    return { ...nested, ...common, name: name ?? nested.name, isNamed: true };
  }
  if (typeof target !== "string" || target === "") {
    says(`workflow() wants a file such as './payment.ts', the name of a workflow, or what createWorkflow() gives, and got ${typeOf(target)}`, site);
    return null;
  }
  const isFile = /^\.\.?\//.test(target) || /\.(ts|mts|js|mjs)$/.test(target);
  return { ...common, name: name ?? (isFile ? null : target), [isFile ? "file" : "run"]: target };
}

const BLOCKS = {
  branch: ["name", "if", "then", "else"],
  loop: ["name", "body", "until", "maxIterations"],
  parallel: ["name", "steps"],
  forEach: ["name", "items", "steps", "body", "concurrency"],
};

function blockAt(kind, path, says, depth) {
  const { type, options, site } = kind;
  if (typeof options !== "object" || options === null) {
    says(`${type}() wants an object with ${BLOCKS[type].join(", ")}`, site);
    return null;
  }
  for (const key of Object.keys(options)) {
    if (!BLOCKS[type].includes(key)) says(`${type}() has no option \`${key}\`; there are ${BLOCKS[type].join(", ")}`, site);
  }
  const at = [...path, "options"];
  const fn = (key) => {
    if (options[key] === undefined) says(`${type}() wants \`${key}\`, a function`, site);
    return functionAt(options[key], [...at, key], `\`${key}\` of ${type}()`, says, site);
  };
  const nodes = (key) => nodesAt(options[key], [...at, key], says, depth + 1);
  const number = (key) => (options[key] === undefined ? null : typeof options[key] === "number" ? options[key] : { type: typeOf(options[key]) });
  const block = { type, name: options.name ?? null, isNamed: options.name !== undefined, at: site };
  if (options.name !== undefined && typeof options.name !== "string") says(`\`name\` of ${type}() must be a string`, site);
  switch (type) {
    case "branch":
      return { ...block, condition: fn("if"), then: nodes("then"), else: nodes("else") };
    case "loop":
      return { ...block, until: fn("until"), body: nodes("body"), maxIterations: number("maxIterations") };
    case "parallel":
      return { ...block, steps: nodes("steps") };
    default:
      return { ...block, items: fn("items"), body: nodes(options.steps === undefined ? "body" : "steps"), concurrency: number("concurrency") };
  }
}

// The steps whose results a function reads: `steps.name.result`, where `steps` is destructured from its argument.
function readsOf(fn) {
  const text = Function.prototype.toString.call(fn).replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
  if (!/^(?:async\s+)?(?:function\s*[\w$]*\s*)?\(\s*\{[^{}()]*\bsteps\b(?!\s*:)[^{}()]*\}/.test(text)) return [];
  if (/\b(?:const|let|var|function)\s+steps\b/.test(text)) return [];
  const reads = [...text.matchAll(/(?<![\w$.])steps\.([A-Za-z_$][\w$]*)\.result\b/g)].map((found) => found[1]);
  return [...new Set(reads)];
}

// Every workflow that a file defines; none if it is one that others import.
export function describe(exports) {
  const all = [];
  if (exports.steps !== undefined) all.push(describeOne(exports, "", true));
  for (const made of registered) all.push(describeOne(made, made.name, false));
  return all;
}

// ---- calling ----

function functionOf(root, path) {
  let at = root;
  for (let n = 1; n < path.length; n++) {
    const part = path[n];
    const kind = kindOf(at);
    // A single step may stand where a list is meant.
    if (typeof part === "number") at = Array.isArray(at) ? at[part] : at;
    else if (kind?.type === "builder") at = kind.made[part];
    else if (kind !== undefined && kind.type !== "http") at = kind[part];
    else at = at[part];
  }
  if (typeof at !== "function") throw new TypeError(`there is no function at ${JSON.stringify(path)}`);
  return at;
}

const LEVELS = ["debug", "info", "warn", "error"];

function logOf() {
  const line = (level) => (first, message) => {
    const hasFields = typeof first === "object" && first !== null;
    const text = hasFields ? (message ?? first.message ?? "") : first;
    emit("log", { level, message: String(text), fields: hasFields ? first : null });
  };
  return Object.fromEntries(LEVELS.map((level) => [level, line(level)]));
}

function namesOf(nodes, names, depth) {
  if (depth > DEPTH_MAX) return names;
  for (const value of listOf(nodes)) {
    const kind = kindOf(value);
    const name = typeof value === "function" ? value.name : (value?.name ?? value?.fn?.name);
    if (kind === undefined && typeof name === "string" && name !== "") names.push(name);
    const options = kind?.options ?? {};
    for (const key of ["then", "else", "body", "steps"]) namesOf(options[key], names, depth + 1);
  }
  return names;
}

// What does not depend on the call: made once, when the file is loaded. Each call finds it as it was then, whatever
// another did to it.
const ready = new Map();
const log = logOf();

function stepsOf(root) {
  const steps = {};
  for (const name of namesOf(root.steps, [], 0)) steps[name] = { result: undefined, state: {}, status: "pending" };
  return steps;
}

export function prepare(exports) {
  ready.set("", stepsOf(exports));
  for (const made of registered) ready.set(made.name, stepsOf(made));
  signal();
}

// The data, made into what a function gets.
function contextOf(root, data) {
  const steps = ready.get(root) ?? {};
  for (const name in data.steps) {
    const step = data.steps[name];
    step.state ??= {};
    steps[name] = step;
  }
  if (!("input" in data)) data.input = undefined;
  data.steps = steps;
  if (!("result" in data.lastStep)) data.lastStep.result = undefined;
  data.lastStep.state ??= {};
  data.log = log;
  data.signal = signal();
  data.state = {};
  return data;
}

async function checked(schema, name, result) {
  const { validate } = await import("stepwell:zod");
  const { issues } = await validate(schema, result);
  if (issues === undefined) return result;
  const said = issues.map(({ path, message }) => `${path.length === 0 ? "" : `at ${path.join(".")}: `}${message}`);
  throw new TypeError(`the result of \`${name}\` does not fit its schema: ${said.join("; ")}`);
}

export async function run(exports, role, id, name, data, argument) {
  if (role === "input") {
    const { validate } = await import("stepwell:zod");
    const { value, issues } = await validate(rootOf(exports, id).input, argument ?? undefined);
    if (issues !== undefined) throw new TypeError(`the input does not fit: ${issues[0].message}`);
    return { result: value };
  }
  const path = JSON.parse(id);
  const root = rootOf(exports, path[0]);
  const fn = functionOf(root, path);
  if (role === "on_error") {
    const { error, ...rest } = argument;
    const { message, stack, name: kind, ...more } = error;
    const thrown = Object.assign(new Error(message), more);
    Object.defineProperty(thrown, "name", { value: kind, configurable: true });
    Object.defineProperty(thrown, "stack", { value: stack ?? "", configurable: true });
    await fn({ error: thrown, ...rest, log });
    return {};
  }
  const context = contextOf(path[0], data);
  if (role === "condition") return { result: Boolean(await fn(context)) };
  if (role === "items") return { result: await fn(context) };
  const { state } = context;
  try {
    let result = await fn(context);
    const schema = root.results?.validate === true ? root.results.schemas?.[name] : undefined;
    if (schema !== undefined) result = await checked(schema, name, result);
    return { result, state: isEmpty(state) ? undefined : state };
  } catch (error) {
    if (!isEmpty(state)) emit("state", state);
    throw error;
  }
}

function isEmpty(object) {
  for (const _ in object) return false;
  return true;
}

// Whether an input fits: `{ issues }` if not.
export async function accepts(exports, root, value) {
  const { input } = rootOf(exports, root);
  const { validate } = await import("stepwell:zod");
  const { issues } = await validate(input, value ?? undefined);
  return issues === undefined ? {} : { issues };
}

export async function inputSchema(exports, root) {
  const { jsonSchemaOf } = await import("stepwell:zod");
  return jsonSchemaOf(rootOf(exports, root).input);
}
