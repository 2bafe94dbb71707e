/** Where workflows of some dialects are started: not all of them by a form of their input. */

import type { Json, RunDetail } from "../api/types";

const HOMES: Record<string, { to: string; verb: string }> = {
  flow: { to: "/catalog", verb: "Choose goals" },
  recording: { to: "/recordings", verb: "Record" },
};

/** The page that starts runs of this dialect, if the workflow's own does not. */
export function homeOf(dialect: string | null): { to: string; verb: string } | null {
  return dialect === null ? null : (HOMES[dialect] ?? null);
}

/** What a flow was asked for, from the input of its run. */
export function flowWish(run: RunDetail): { goals: string[]; init: { [key: string]: Json } } | null {
  const { input } = run;
  if (run.dialect !== "flow" || input === null || typeof input !== "object" || Array.isArray(input)) return null;
  const { plan, init } = input as { plan?: { goals?: string[] }; init?: { [key: string]: Json } };
  return Array.isArray(plan?.goals) ? { goals: plan.goals, init: init ?? {} } : null;
}

/** The page about what a run is a run of. */
export function originOf(run: RunDetail): string {
  const wish = flowWish(run);
  if (wish !== null) return `/catalog?${new URLSearchParams(wish.goals.map((goal) => ["goal", goal]))}`;
  return homeOf(run.dialect)?.to ?? `/workflows/${encodeURIComponent(run.workflow)}`;
}
