// What the engine does not have is not offered either.
import { readFileSync } from "node:fs"; // error TS2307: Cannot find module 'node:fs'
import { Signal } from "stepwell"; // error TS2305: no exported member 'Signal'
import { kind } from "stepwell"; // error TS2459: declares 'kind' locally, but it is not exported

export const a = process.env.HOME; // error TS2591: Cannot find name 'process'
export const b = document.title; // error TS2584: Cannot find name 'document'
export const c = new WebSocket("wss://example.com"); // error TS2304: Cannot find name 'WebSocket'
export const d = require("fs"); // error TS2591: Cannot find name 'require'
export const e = new TextDecoder("latin1"); // error TS2345: Argument of type '"latin1"' is not assignable
export const f = crypto.subtle; // error TS2339: Property 'subtle' does not exist
setTimeout("code", 10); // error TS2345: Argument of type 'string' is not assignable
export const g = [readFileSync, Signal, kind];
