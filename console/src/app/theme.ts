/** Light, dark, or as the machine has it. */

import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "stepwell.theme";
const listeners = new Set<() => void>();
const machine = window.matchMedia?.("(prefers-color-scheme: dark)");
machine?.addEventListener("change", applyTheme);

export function theme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function setTheme(chosen: Theme) {
  if (chosen === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  applyTheme();
}

/** The look in force: never `system`. */
export function look(): "light" | "dark" {
  const chosen = theme();
  if (chosen !== "system") return chosen;
  return machine?.matches ? "dark" : "light";
}

export function applyTheme() {
  document.documentElement.dataset.theme = look();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, theme);
}

export function useLook(): "light" | "dark" {
  return useSyncExternalStore(subscribe, look);
}
