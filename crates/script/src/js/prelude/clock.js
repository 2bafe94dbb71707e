// Time and chance come from the host, which may fix them: `Date`, `Math.random`, `performance`, `crypto`.

import { define, native } from "stepwell:core";

const BYTES_MAX = 65_536;
const TypedArray = Object.getPrototypeOf(Uint8Array);

function installDate() {
  const Real = Date;
  function HostDate(...args) {
    if (new.target === undefined) return new Real(native.nowMs()).toString();
    return Reflect.construct(Real, args.length === 0 ? [native.nowMs()] : args, new.target);
  }
  HostDate.prototype = Real.prototype;
  Object.defineProperties(HostDate, {
    name: { value: "Date", configurable: true },
    length: { value: 7, configurable: true },
    prototype: { writable: false },
    now: { value: () => native.nowMs(), writable: true, configurable: true },
    parse: { value: Real.parse, writable: true, configurable: true },
    UTC: { value: Real.UTC, writable: true, configurable: true },
  });
  // Or a script could reach the real one through any date.
  Object.defineProperty(Real.prototype, "constructor", { value: HostDate, writable: true, configurable: true });
  define("Date", HostDate);
}

function getRandomValues(array) {
  if (!(array instanceof TypedArray) || array instanceof Float32Array || array instanceof Float64Array) {
    throw new DOMException("crypto.getRandomValues wants an array of integers", "TypeMismatchError");
  }
  if (array.byteLength > BYTES_MAX) {
    throw new DOMException(`crypto.getRandomValues gives at most ${BYTES_MAX} bytes`, "QuotaExceededError");
  }
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  bytes.set(new Uint8Array(native.randomBytes(bytes.length)));
  return array;
}

function randomUUID() {
  const bytes = new Uint8Array(native.randomBytes(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function installClock() {
  installDate();
  Math.random = () => native.random();
  define("performance", { now: () => native.elapsedMs() });
  define("crypto", { getRandomValues, randomUUID });
}
