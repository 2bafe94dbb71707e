// `console`: every line goes to the host, with a level.

import { define, native } from "stepwell:core";
import { format, inspect } from "stepwell:inspect";

export function installConsole() {
  let indent = "";
  const counts = Object.create(null);
  const started = Object.create(null);

  const print = (level, text) => {
    const indented = indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`);
    native.log(level, indented.toWellFormed());
  };
  const printer = (level) => (...args) => print(level, format(args));
  const elapsed = (label) => `${label}: ${(native.elapsedMs() - started[label]).toFixed(3)}ms`;

  const console = {
    debug: printer("debug"),
    log: printer("info"),
    info: printer("info"),
    warn: printer("warn"),
    error: printer("error"),
    dir: (value) => print("info", inspect(value)),
    table: (rows) => print("info", inspect(rows)),
    trace: (...args) => print("debug", native.showError(format(["Trace:", ...args]), new Error().stack ?? "")),
    assert: (condition, ...args) => {
      if (!condition) print("error", args.length === 0 ? "Assertion failed" : `Assertion failed: ${format(args)}`);
    },
    count: (label = "default") => {
      counts[label] = (counts[label] ?? 0) + 1;
      print("info", `${label}: ${counts[label]}`);
    },
    countReset: (label = "default") => {
      delete counts[label];
    },
    time: (label = "default") => {
      started[label] = native.elapsedMs();
    },
    timeLog: (label = "default", ...args) => {
      if (label in started) print("info", format([elapsed(label), ...args]));
    },
    timeEnd: (label = "default") => {
      if (!(label in started)) return;
      print("info", elapsed(label));
      delete started[label];
    },
    group: (...args) => {
      if (args.length > 0) print("info", format(args));
      indent += "  ";
    },
    groupEnd: () => {
      indent = indent.slice(2);
    },
  };
  console.groupCollapsed = console.group;
  define("console", console);
}
