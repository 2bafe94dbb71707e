import { queryOptions } from "@tanstack/react-query";

import { call, path } from "../api/client";
import type { Json, RunStatus } from "../api/types";

export interface RecordedStep {
  name: string;
  tool: string | null;
  server: string | null;
  input: Json;
  preset: boolean;
  status: "running" | "completed" | "failed";
  output: Json;
  error: string | null;
}

export interface Recording {
  recording_id: string;
  status: RunStatus;
  endpoint: string;
  finished: boolean;
  title: string | null;
  description: string | null;
  steps: RecordedStep[];
  inputs: Record<string, { value: Json; description?: string }>;
  created_at: string;
}

export interface Proposal {
  step: string;
  pointer: string;
  literal: Json;
  refs: string[];
}

export const recordingQuery = (id: string) =>
  queryOptions({
    queryKey: ["recording", id],
    queryFn: ({ signal }) => call<Recording>(path`/api/recordings/${id}`, { signal }),
  });
