// `setTimeout` and its kin. The host keeps the time; here are the functions to call.

import { define, native } from "stepwell:core";

const TIMERS_MAX = 10_000;
const DELAY_MS_MAX = 2 ** 31 - 1;

const timers = Object.create(null);
let nTimers = 0;
let lastId = 0;

function start(handler, delay, repeats, args) {
  if (typeof handler !== "function") throw new TypeError("a timer wants a function to call");
  if (nTimers >= TIMERS_MAX) throw new RangeError(`more than ${TIMERS_MAX} timers are pending`);
  const ms = Math.trunc(Number(delay));
  const timer = { handler, args, repeats, ms: ms >= 1 && ms <= DELAY_MS_MAX ? ms : 1 };
  const id = ++lastId;
  timers[id] = timer;
  nTimers += 1;
  native.setTimer(id, timer.ms);
  return id;
}

function stop(id) {
  if (timers[id] === undefined) return;
  delete timers[id];
  nTimers -= 1;
  native.clearTimer(Number(id));
}

// The host says that a timer is due.
export function fire(id) {
  const timer = timers[id];
  if (timer === undefined) return;
  if (timer.repeats) {
    native.setTimer(id, timer.ms);
  } else {
    delete timers[id];
    nTimers -= 1;
  }
  Reflect.apply(timer.handler, undefined, timer.args);
}

export function installTimers() {
  define("setTimeout", (handler, delay = 0, ...args) => start(handler, delay, false, args));
  define("setInterval", (handler, delay = 0, ...args) => start(handler, delay, true, args));
  define("setImmediate", (handler, ...args) => start(handler, 0, false, args));
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) define(name, (id) => stop(id));
}
