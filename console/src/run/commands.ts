/** The same as a command: for the terminal, for scripts, for colleagues. */

import { namespace } from "../api/session";
import type { Json } from "../api/types";

/** Text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function cli(words: string[]): string {
  const where = ["--server", window.location.origin];
  const space = namespace === null ? [] : ["--namespace", namespace];
  return ["stepwell", ...where, ...space, ...words].map(quoted).join(" ");
}

export function curl(method: string, to: string, body?: Json | object): string {
  const parts = ["curl", "-X", method, `${window.location.origin}${to}`];
  if (namespace !== null) parts.push("-H", `Stepwell-Namespace: ${namespace}`);
  if (body !== undefined) parts.push("-H", "content-type: application/json", "-d", JSON.stringify(body));
  return parts.map(quoted).join(" ");
}
