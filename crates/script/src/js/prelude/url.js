// `URL` and `URLSearchParams`. Parsing and its rules are the host's.

import { define, native } from "stepwell:core";

// The order in which the host gives the parts.
const PARTS = ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash", "origin"];

function text(value) {
  return String(value).toWellFormed();
}

function parseUrl(input, base) {
  return native.parseUrl(text(input), base === undefined ? undefined : text(base));
}

let linkParams;

class URLSearchParams {
  #pairs = [];
  #changed = () => {};

  static {
    linkParams = (params, query, changed) => {
      params.#pairs = native.parseForm(query);
      params.#changed = () => changed(params.toString());
    };
  }

  constructor(init = "") {
    if (typeof init === "object" && init !== null) {
      const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
      for (const pair of pairs) {
        const [name, value, ...rest] = pair;
        if (value === undefined || rest.length > 0) throw new TypeError("each item must be a pair of a name and a value");
        this.#pairs.push([text(name), text(value)]);
      }
    } else {
      const query = text(init);
      this.#pairs = native.parseForm(query.startsWith("?") ? query.slice(1) : query);
    }
  }

  get size() {
    return this.#pairs.length;
  }

  append(name, value) {
    this.#pairs.push([text(name), text(value)]);
    this.#changed();
  }

  delete(name, value) {
    const wanted = text(name);
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== wanted || (value !== undefined && pair[1] !== String(value)));
    this.#changed();
  }

  get(name) {
    return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null;
  }

  getAll(name) {
    return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]);
  }

  has(name, value) {
    return this.#pairs.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)));
  }

  set(name, value) {
    const wanted = text(name);
    const first = this.#pairs.find((pair) => pair[0] === wanted);
    if (first === undefined) {
      this.#pairs.push([wanted, text(value)]);
    } else {
      first[1] = text(value);
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== wanted);
    }
    this.#changed();
  }

  sort() {
    this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#changed();
  }

  forEach(visit, self) {
    for (const [name, value] of this) Reflect.apply(visit, self, [value, name, this]);
  }

  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }

  *keys() {
    for (const [name] of this.#pairs) yield name;
  }

  *values() {
    for (const [, value] of this.#pairs) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  toString() {
    return native.formatForm(this.#pairs);
  }
}

class URL {
  #parts;
  #params;

  constructor(input, base) {
    this.#parts = parseUrl(input, base);
    if (this.#parts === undefined) {
      const error = new TypeError(`Invalid URL: ${String(input)}`);
      error.code = "ERR_INVALID_URL";
      throw error;
    }
  }

  static canParse(input, base) {
    return parseUrl(input, base) !== undefined;
  }

  static parse(input, base) {
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }

  static {
    PARTS.forEach((part, index) => {
      const set = function (value) {
        const parts = native.setUrlPart(this.#parts[0], part, text(value));
        // Only a whole address can be refused aloud; the standard ignores other bad parts.
        if (parts === undefined && part === "href") throw new TypeError(`Invalid URL: ${String(value)}`);
        this.#parts = parts ?? this.#parts;
        if (this.#params !== undefined) this.#link();
      };
      const get = function () {
        return this.#parts[index];
      };
      const property = { get, enumerable: true, configurable: true };
      if (part !== "origin") property.set = set;
      Object.defineProperty(URL.prototype, part, property);
    });
  }

  #link() {
    linkParams(this.#params, this.#parts[8].slice(1), (search) => {
      this.#parts = native.setUrlPart(this.#parts[0], "search", search) ?? this.#parts;
    });
  }

  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams();
      this.#link();
    }
    return this.#params;
  }

  toString() {
    return this.#parts[0];
  }

  toJSON() {
    return this.#parts[0];
  }
}

export function installUrl() {
  define("URL", URL);
  define("URLSearchParams", URLSearchParams);
}
