/** The filters of the list of runs. They live in the address, so that a view can be linked and kept. */

import type { Query } from "../api/client";
import { RUN_STATUSES, type RunStatus } from "../api/types";

export interface Filters {
  status: RunStatus[];
  workflow: string;
  q: string;
  labels: string[];
  inputs: [path: string, value: string][];
  from: string;
  to: string;
  parent: string;
}

export function readFilters(params: URLSearchParams): Filters {
  const words = (params.get("status") ?? "").split(",");
  return {
    status: RUN_STATUSES.filter((status) => words.includes(status)),
    workflow: params.get("workflow") ?? "",
    q: params.get("q") ?? "",
    labels: params.getAll("label"),
    inputs: [...params].filter(([name]) => name.startsWith("input.")).map(([name, value]) => [name.slice("input.".length), value]),
    from: params.get("from") ?? "",
    to: params.get("to") ?? "",
    parent: params.get("parent") ?? "",
  };
}

export function writeFilters(filters: Filters): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(queryOf(filters))) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") params.append(name, String(one));
    }
  }
  return params;
}

/** The filters as the server wants them. */
export function queryOf(filters: Filters): Query {
  const query: Query = {
    status: filters.status.join(","),
    workflow: filters.workflow,
    q: filters.q,
    label: filters.labels,
    from: filters.from,
    to: filters.to,
    parent: filters.parent,
  };
  for (const [path, value] of filters.inputs) {
    const name = `input.${path}`;
    const old = query[name];
    query[name] = [...(Array.isArray(old) ? old : []), value];
  }
  return query;
}

export function isFiltered(filters: Filters): boolean {
  return writeFilters(filters).size > 0;
}

/** Whether a run that changed may belong to the list; what only the server can tell counts as yes. */
export function mayMatch(filters: Filters, update: { workflow: string; status: RunStatus | null }): boolean {
  const fitsWorkflow = filters.workflow === "" || filters.workflow === update.workflow;
  const fitsStatus = filters.status.length === 0 || update.status === null || filters.status.includes(update.status);
  return fitsWorkflow && fitsStatus;
}
