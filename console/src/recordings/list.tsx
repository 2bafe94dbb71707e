/** Recordings: what agents did through Stepwell, ready to become workflows. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Disc, Plus } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Link, useNavigate } from "react-router";

import { call } from "../api/client";
import { renewal, useAllUpdates } from "../api/queries";
import type { RunStatus, RunSummary } from "../api/types";
import { ActionForm, useMayLaunch } from "../run/actions";
import { Dialog, Empty, Loading, PageHead, ProblemBox, Time, shortId } from "../ui/parts";
import { Status } from "../ui/status";
import type { Recording } from "./types";

const RENEW_MS = 500;

/** A recording that goes on waits for its next call: to people it records. */
const WORDS: Partial<Record<RunStatus, string>> = { completed: "Finished", failed: "Failed", cancelled: "Cancelled" };

export function Component() {
  const client = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const mayLaunch = useMayLaunch();
  const { data, error } = useQuery({
    queryKey: ["recordings"],
    queryFn: async ({ signal }) => (await call<{ recordings: RunSummary[] }>("/api/recordings", { signal, query: { limit: 200 } })).recordings,
  });
  const renew = useMemo(() => renewal(client, [["recordings"]], RENEW_MS), [client]);
  useEffect(() => renew.stop, [renew]);
  useAllUpdates(renew, renew);
  return (
    <div className="page">
      <title>Recordings · Stepwell</title>
      <PageHead title="Recordings" sub="An agent works through a recording; its calls become the steps of a workflow.">
        {mayLaunch && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden /> New recording
          </button>
        )}
      </PageHead>
      {error !== null && <ProblemBox problem={error} />}
      {data === undefined && error === null && <Loading what="the recordings" />}
      {data !== undefined && (
        <section className="panel">
          {data.length === 0 ? (
            <Empty icon={Disc} title="Nothing has been recorded yet">
              Begin a recording and point an MCP client at its address: every tool that it calls becomes a step. The calls become a workflow that runs without the agent.
            </Empty>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th>Status</th>
                  <th className="wide-cell">Title</th>
                  <th>Begun</th>
                </tr>
              </thead>
              <tbody>
                {data.map((run) => (
                  <tr key={run.run_id}>
                    <td>
                      <Status status={run.status === "completed" || run.status === "failed" || run.status === "cancelled" ? run.status : "running"} word={WORDS[run.status] ?? "Recording"} />
                    </td>
                    <td>
                      <Link to={`/recordings/${run.run_id}`}>{run.description ?? `untitled ${shortId(run.run_id)}`}</Link>
                    </td>
                    <td className="faint">
                      <Time at={run.created_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      )}
      {isMaking && <NewRecording onClose={() => setMaking(false)} />}
    </div>
  );
}

function NewRecording({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call<Recording>("/api/recordings", { method: "POST", body: title === "" ? {} : { title } }),
    onSuccess: ({ recording_id }) => void navigate(`/recordings/${recording_id}`),
  });
  return (
    <Dialog title="New recording" onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Begin" {...{ onClose, error }} isBusy={isPending}>
        <label className="field">
          <span>Title</span>
          <input className="input" value={title} onChange={(event) => setTitle(event.target.value)} />
        </label>
      </ActionForm>
    </Dialog>
  );
}
