/** The shapes of the API, as `/api/openapi.json` describes them. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Schema = { [key: string]: Json };

export const RUN_STATUSES = ["pending", "running", "waiting", "rolling_back", "completed", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export type EntryStatus = "running" | "waiting" | "waiting_retry" | "completed" | "failed" | "skipped" | "cancelled";
export type Scope = "read" | "launch" | "admin";

export interface Failure {
  kind: string;
  message: string;
  source?: string | null;
  attempts?: number;
  [key: string]: unknown;
}

export interface RunSummary {
  run_id: string;
  workflow: string;
  version: string;
  status: RunStatus;
  cancelling: boolean;
  labels: Record<string, string>;
  description: string | null;
  error: Failure | null;
  parent: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  wake_at: string | null;
  n_events: number;
}

export interface RunList {
  runs: RunSummary[];
  next_cursor: string | null;
  counts?: Record<RunStatus, number>;
}

export interface Wait {
  text: string;
  wait: { for: string; location?: string; until?: number | null; names?: string[]; [key: string]: unknown };
}

export interface Child {
  run_id: string;
  workflow: string;
  location: string;
}

export interface Entry {
  location: string;
  name: string;
  kind: string;
  status: EntryStatus;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  seq: number;
  attempts: number;
  output?: Json;
  output_bytes?: number;
  error?: Failure;
  skipped_because?: string;
  retry_at?: string;
  until?: string;
  names?: string[];
  child?: Child;
  trimmed_before?: number;
  entries?: Entry[];
}

export interface MailboxMessage {
  message_id: string;
  name: string;
  body: Json;
  key: string | null;
  received_at: string;
}

export interface RunDetail {
  run_id: string;
  workflow: string;
  version: string;
  dialect: string | null;
  status: RunStatus;
  cancelling: boolean;
  labels: Record<string, string>;
  description: string | null;
  input: Json;
  output: Json;
  error: Failure | null;
  cancel_reason: string | null;
  waiting_for: Wait[];
  entries: Entry[];
  entries_omitted: number;
  mailbox: MailboxMessage[];
  parent: string | null;
  children: Child[];
  replay_of: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  duration_ms: number | null;
  deadline_at: string | null;
  n_resumed: number;
  seq: number;
  last_seq: number;
}

export interface JournalEvent {
  seq: number;
  at: string;
  event: string;
  location: string | null;
  text: string;
  data: { [key: string]: Json };
}

export interface EventPage {
  events: JournalEvent[];
  next_cursor: string | null;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLine {
  at: string;
  level: LogLevel;
  location: string;
  message: string;
  fields: Json;
}

export interface LogLines {
  lines: LogLine[];
  next_cursor: string | null;
  tail_cursor: string | null;
}

export interface Plan {
  nodes: PlanNode[];
  edges: PlanEdge[];
}

export interface PlanNode {
  name: string;
  title?: string;
  kind?: string;
  detail?: string;
  hasWhen?: boolean;
  forEach?: boolean;
  isOutput?: boolean;
}

export interface PlanEdge {
  from: string;
  to: string;
  kind?: string;
  refs?: string[];
}

export interface WorkflowView {
  name: string;
  dialect: string;
  version: string;
  title: string | null;
  description: string | null;
  input_schema: Schema | null;
  output_schema: Schema | null;
  plan: Json;
  file: string | null;
}

export interface StartRun {
  input: Json;
  run_id?: string;
  idempotency_key?: string;
  labels?: Record<string, string>;
  start_at?: string;
  deadline_ms?: number;
}

export interface StartedRun {
  run_id: string;
  status: RunStatus;
  existing: boolean;
}

export interface Accepted {
  run_id: string;
  status: RunStatus;
}

export interface PutSchedule {
  workflow: string;
  input: Json;
  cron?: string;
  time_zone?: string;
  interval_ms?: number;
  overlap: "skip" | "queue" | "allow";
  catch_up: "none" | "last" | "all";
  paused: boolean;
  labels?: Record<string, string>;
  deadline_ms?: number;
}

export interface ScheduleView extends PutSchedule {
  name: string;
  created_at: string;
  next_at: string[];
  last_at: string | null;
  last_run: string | null;
  last_problem: string | null;
  n_started: number;
  n_skipped: number;
}

export interface TokenView {
  name: string;
  namespace: string;
  scope: Scope;
  created_at: string;
  expires_at: string | null;
  hint: string;
}

export interface NamespaceView {
  name: string;
  counts: Partial<Record<RunStatus, number>>;
}

export interface ServerInfo {
  version: string;
  namespace: string;
  scope: Scope;
  token: string | null;
  token_required: boolean;
  started_at: string;
  now: string;
}

export interface Update {
  run_id: string;
  workflow: string;
  seq: number;
  at: string;
  status: RunStatus | null;
  event: string;
  location: string | null;
}

export interface CountsOverTime {
  buckets: { from: string; counts: Partial<Record<RunStatus, number>> }[];
}
