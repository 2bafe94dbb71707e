// `TextEncoder` and `TextDecoder`, for UTF-8.

import { define, native } from "stepwell:core";

const UTF8_LABELS = ["utf-8", "utf8", "unicode-1-1-utf-8"];

export function bytesOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  throw new TypeError("an ArrayBuffer or a view of one is wanted");
}

export function encode(text) {
  return new Uint8Array(native.encodeUtf8(String(text).toWellFormed()));
}

class TextEncoder {
  get encoding() {
    return "utf-8";
  }

  encode(text = "") {
    return encode(text);
  }

  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const character of String(text).toWellFormed()) {
      const bytes = encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

// How many bytes at the end are the beginning of a character that is not complete.
function nIncomplete(bytes) {
  for (let n = 1; n <= Math.min(3, bytes.length); n++) {
    const byte = bytes[bytes.length - n];
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return n < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? n : 0;
  }
  return 0;
}

class TextDecoder {
  #fatal;
  #keepsMark;
  #pending = new Uint8Array(0);
  #isAtStart = true;

  constructor(label = "utf-8", options = {}) {
    if (!UTF8_LABELS.includes(String(label).trim().toLowerCase())) {
      throw new RangeError(`only utf-8 can be decoded here, not ${label}`);
    }
    this.#fatal = Boolean(options.fatal);
    this.#keepsMark = Boolean(options.ignoreBOM);
  }

  get encoding() {
    return "utf-8";
  }

  get fatal() {
    return this.#fatal;
  }

  get ignoreBOM() {
    return this.#keepsMark;
  }

  decode(source = new Uint8Array(0), options = {}) {
    let bytes = bytesOf(source);
    if (this.#pending.length > 0) {
      const joined = new Uint8Array(this.#pending.length + bytes.length);
      joined.set(this.#pending);
      joined.set(bytes, this.#pending.length);
      bytes = joined;
    }
    const nKept = options.stream ? nIncomplete(bytes) : 0;
    this.#pending = bytes.slice(bytes.length - nKept);
    let text = native.decodeUtf8(bytes.slice(0, bytes.length - nKept).buffer, this.#fatal);
    if (text === undefined) throw new TypeError("The encoded data is not valid utf-8");
    if (this.#isAtStart && !this.#keepsMark && text.startsWith("\ufeff")) text = text.slice(1);
    this.#isAtStart = !options.stream || (this.#isAtStart && text === "" && bytes.length === nKept);
    return text;
  }
}

export function installEncoding() {
  define("TextEncoder", TextEncoder);
  define("TextDecoder", TextDecoder);
}
