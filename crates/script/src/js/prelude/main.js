// Sets up the globals, loads a program and runs its functions. Rust calls what `install` returns, and
// nothing else can reach it.

import { native, parse, stringify } from "stepwell:core";
import { installClone } from "stepwell:clone";
import { installClock } from "stepwell:clock";
import { installConsole } from "stepwell:console";
import { installEncoding } from "stepwell:encoding";
import { describedText } from "stepwell:errors";
import { abort, installEvents } from "stepwell:events";
import { fetched, installFetch } from "stepwell:fetch";
import { fire, installTimers } from "stepwell:timers";
import { installUrl } from "stepwell:url";

const loaded = { exports: undefined, driver: undefined };

// Promises that were rejected while nobody listened.
let rejected = [];

async function load(entry, driver) {
  try {
    loaded.exports = await import(entry);
    if (driver !== undefined) {
      loaded.driver = await import(driver);
      // What it makes ready is there for each call, like the modules.
      loaded.driver.prepare?.(loaded.exports);
    }
    native.settle("value", undefined);
  } catch (error) {
    native.settle("thrown", describedText(error));
  }
}

function functionOf(exports, name) {
  const found = exports[name];
  if (typeof found === "function") return found;
  const names = Object.keys(exports).join(", ") || "nothing";
  const problem = name in exports ? `\`${name}\` is not a function` : `there is no export \`${name}\`; there is ${names}`;
  native.settle("no_such_function", problem);
  return undefined;
}

async function run(fn, args) {
  let result;
  try {
    result = await fn(...args);
  } catch (error) {
    native.settle("thrown", describedText(error));
    return;
  }
  let text;
  try {
    text = stringify(result);
  } catch (error) {
    native.settle("not_json", describedText(error));
    return;
  }
  native.settle("value", text);
}

// Each begins a call. Its end is told to the host with `settle`.
const starts = Object.freeze({
  export(name, args) {
    const fn = functionOf(loaded.exports, name);
    if (fn !== undefined) run(fn, parse(args));
  },
  driver(name, args) {
    const fn = functionOf(loaded.driver ?? {}, name);
    if (fn !== undefined) run(fn, [loaded.exports, ...parse(args)]);
  },
  json_schema(name) {
    run(async () => {
      const schema = loaded.exports[name];
      if (schema === undefined) return undefined;
      const { jsonSchemaOf } = await import("stepwell:zod");
      return jsonSchemaOf(schema);
    }, []);
  },
  validate(name, args) {
    run(async () => {
      const { validate } = await import("stepwell:zod");
      return validate(loaded.exports[name], parse(args)[0]);
    }, []);
  },
});

// The engine says that a promise was rejected unheard, or that somebody listens now.
function rejection(promise, reason, isHandled) {
  if (isHandled) rejected = rejected.filter((known) => known.promise !== promise);
  else rejected.push({ promise, reason });
}

// Whether there is a rejection that nobody will hear; it ends the call.
function settleRejected() {
  if (rejected.length > 0) native.settle("thrown", describedText(rejected[0].reason));
}

// An error that nobody caught, in a timer or an event.
function uncaught(error) {
  native.settle("thrown", describedText(error));
}

// A stack's call sites know the functions that are on it, the machinery's among them: not for scripts.
function hideCallers() {
  Error.prepareStackTrace = (_, sites) => {
    const prototype = Object.getPrototypeOf(sites[0]);
    delete prototype.getFunction;
    delete prototype.getThis;
    return undefined;
  };
  void new Error().stack;
  Error.prepareStackTrace = undefined;
}

export function install(natives) {
  Object.assign(native, natives);
  hideCallers();
  installConsole();
  installClock();
  installEvents();
  installTimers();
  installEncoding();
  installUrl();
  installClone();
  installFetch();
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  return Object.freeze({ load, starts, fire, fetched, abort, rejection, settleRejected, uncaught });
}
