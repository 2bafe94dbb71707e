/**
 * Who is asking: the token, and the namespace.
 *
 * The namespace stands in the address (`/@team-a/runs`), so that links lead to the same place for everybody. The token is
 * kept for this tab only, or by the browser if its owner says so.
 */

import { useSyncExternalStore } from "react";

const KEY = "stepwell.token";
const PREFIX = /^\/@([^/]+)/;

let token = read();
let isTokenWanted = false;
const listeners = new Set<() => void>();

function read(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

function tell() {
  for (const listener of listeners) listener();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The namespace in the address; null leaves it to the server. */
export const namespace: string | null = (() => {
  const found = PREFIX.exec(window.location.pathname)?.[1];
  return found === undefined ? null : decoded(found);
})();

/** What every path of the console begins with. */
export const basename = PREFIX.exec(window.location.pathname)?.[0] ?? "/";

export function addressOf(name: string | null): string {
  return name === null ? "/" : `/@${encodeURIComponent(name)}/`;
}

export const session = {
  get token() {
    return token;
  },
  logIn(secret: string, isKept: boolean) {
    (isKept ? localStorage : sessionStorage).setItem(KEY, secret);
    token = secret;
    isTokenWanted = false;
    tell();
  },
  logOut() {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
    token = null;
    isTokenWanted = true;
    tell();
  },
  /** The server refused the last request for want of a valid token. */
  refused() {
    isTokenWanted = true;
    tell();
  },
};

export function headers(): Record<string, string> {
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(namespace === null ? {} : { "stepwell-namespace": namespace }),
  };
}

export function useTokenWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isTokenWanted,
  );
}
