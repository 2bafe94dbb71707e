/** How something stands, as a shape, a colour and a word: never by colour alone. */

import { Ban, Check, CircleDashed, CircleDot, CircleSlash, Clock3, RotateCcw, Undo2, X, type LucideIcon } from "lucide-react";

import type { EntryStatus, RunStatus } from "../api/types";

export type AnyStatus = RunStatus | EntryStatus | "planned";

interface Look {
  word: string;
  tone: string;
  icon: LucideIcon;
}

const LOOKS: Record<AnyStatus, Look> = {
  planned: { word: "Not reached", tone: "skipped", icon: CircleDashed },
  pending: { word: "Pending", tone: "pending", icon: CircleDashed },
  running: { word: "Running", tone: "running", icon: CircleDot },
  waiting: { word: "Waiting", tone: "waiting", icon: Clock3 },
  waiting_retry: { word: "Retrying", tone: "retry", icon: RotateCcw },
  rolling_back: { word: "Rolling back", tone: "retry", icon: Undo2 },
  completed: { word: "Completed", tone: "completed", icon: Check },
  failed: { word: "Failed", tone: "failed", icon: X },
  cancelled: { word: "Cancelled", tone: "cancelled", icon: Ban },
  skipped: { word: "Skipped", tone: "skipped", icon: CircleSlash },
};

export function lookOf(status: AnyStatus): Look {
  return LOOKS[status] ?? { word: status, tone: "pending", icon: CircleDashed };
}

export function toneVar(status: AnyStatus): string {
  return `var(--${lookOf(status).tone})`;
}

export function hasEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function StatusIcon({ status, size = 14 }: { status: AnyStatus; size?: number }) {
  const { icon: Icon, tone } = lookOf(status);
  return <Icon aria-hidden size={size} strokeWidth={2.4} className={`status-icon is-${status}`} style={{ color: `var(--${tone})` }} />;
}

/** `word` says it otherwise, where the status is not that of a run or an entry. */
export function Status({ status, cancelling = false, word = lookOf(status).word }: { status: AnyStatus; cancelling?: boolean; word?: string }) {
  return (
    <span className="status" style={{ "--tone": toneVar(status) } as React.CSSProperties} data-status={status}>
      <StatusIcon status={status} size={13} />
      {cancelling ? "Cancelling" : word}
    </span>
  );
}
