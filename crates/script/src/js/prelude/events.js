// `EventTarget`, `AbortController` and `AbortSignal`.

import { call, define } from "stepwell:core";

class Event {
  constructor(type, init = {}) {
    this.type = String(type);
    this.cancelable = Boolean(init.cancelable);
    this.defaultPrevented = false;
    this.target = null;
  }
  preventDefault() {
    if (this.cancelable) this.defaultPrevented = true;
  }
}

class EventTarget {
  #listeners = [];

  addEventListener(type, listener, options = {}) {
    if (listener == null) return;
    const once = typeof options === "object" && options !== null && Boolean(options.once);
    if (this.#listeners.some((known) => known.type === type && known.listener === listener)) return;
    this.#listeners.push({ type, listener, once });
  }

  removeEventListener(type, listener) {
    this.#listeners = this.#listeners.filter((known) => known.type !== type || known.listener !== listener);
  }

  dispatchEvent(event) {
    event.target = this;
    const handler = this[`on${event.type}`];
    if (typeof handler === "function") Reflect.apply(handler, this, [event]);
    for (const { type, listener, once } of [...this.#listeners]) {
      if (type !== event.type) continue;
      if (once) this.removeEventListener(type, listener);
      if (typeof listener === "function") Reflect.apply(listener, this, [event]);
      else listener.handleEvent(event);
    }
    return !event.defaultPrevented;
  }
}

// What only AbortController and the functions below may do to a signal.
let makeSignal;
let abortSignal;

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason = undefined;
  onabort = null;

  constructor(key) {
    super();
    if (key !== makeSignal) throw new TypeError("Illegal constructor: use new AbortController().signal");
  }

  static {
    makeSignal = Symbol("AbortSignal");
    abortSignal = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
      signal.dispatchEvent(new Event("abort"));
    };
  }

  get aborted() {
    return this.#aborted;
  }

  get reason() {
    return this.#reason;
  }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  static abort(reason) {
    const signal = new AbortSignal(makeSignal);
    abortSignal(signal, reason);
    return signal;
  }

  static timeout(ms) {
    const signal = new AbortSignal(makeSignal);
    setTimeout(() => abortSignal(signal, new DOMException("The operation timed out", "TimeoutError")), ms);
    return signal;
  }

  static any(signals) {
    const any = new AbortSignal(makeSignal);
    for (const signal of signals) {
      if (signal.aborted) {
        abortSignal(any, signal.reason);
        return any;
      }
    }
    for (const signal of signals) {
      signal.addEventListener("abort", () => abortSignal(any, signal.reason), { once: true });
    }
    return any;
  }
}

class AbortController {
  #signal = new AbortSignal(makeSignal);

  get signal() {
    return this.#signal;
  }

  abort(reason) {
    abortSignal(this.#signal, reason);
  }
}

// The signal of the call that goes on. It aborts when the call's time is up or the host cancels it.
export function signal() {
  call.controller ??= new AbortController();
  return call.controller.signal;
}

export function abort(isTimeout) {
  const reason = isTimeout
    ? new DOMException("The call took longer than its time limit", "TimeoutError")
    : new DOMException("The call was cancelled", "AbortError");
  call.controller?.abort(reason);
}

export function installEvents() {
  for (const type of [Event, EventTarget, AbortSignal, AbortController]) define(type.name, type);
}
