/** One workflow: what it is, its plan, its runs, and the form that starts it. */

import "./workflows.css";
import "../run/run.css";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { Suspense, lazy, useEffect, useMemo } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import { infoQuery, renewal, runsQuery, useAllUpdates, workflowQuery } from "../api/queries";
import type { WorkflowView } from "../api/types";
import { useMayLaunch } from "../run/actions";
import { readPlan } from "../run/graph/shape";
import { GraphView } from "../run/graph/view";
import { JsonView } from "../ui/json";
import { CopyButton, Empty, Loading, PageHead, ProblemBox, Time, shortId } from "../ui/parts";
import { Status } from "../ui/status";
import { homeOf } from "./homes";

// Forms bring a good deal of code with them. So do pictures, but this page begins with one: to load it later would cost
// the time in which React does not show a second thing after a first one that was late.
const Launch = lazy(() => import("./launch"));

const RENEW_MS = 1_000;
const NOTHING_RUNS: never[] = [];

const TABS = { about: "About", launch: "Start a run" } as const;

export function Component() {
  const { name = "" } = useParams();
  const [params, setParams] = useSearchParams();
  const { data: workflow, error } = useQuery(workflowQuery(name));
  const mayLaunch = useMayLaunch();
  const isAdmin = useQuery(infoQuery).data?.scope === "admin";
  const home = homeOf(workflow?.dialect ?? null);
  const mayStart = mayLaunch && home === null;
  const tab = params.get("tab") === "launch" && mayStart ? "launch" : "about";
  if (workflow === undefined) return <div className="page">{error !== null ? <ProblemBox problem={error} /> : <Loading what="the workflow" />}</div>;
  return (
    <div className="page">
      <title>{`${workflow.name} · Stepwell`}</title>
      <PageHead
        title={
          <>
            <Link to="/workflows">Workflows</Link> <span className="faint">/</span> {workflow.title ?? workflow.name}
          </>
        }
        sub={workflow.description ?? undefined}
      >
        <span className="tag">{workflow.dialect}</span>
        <span className="tag" title={workflow.version}>
          version <span className="mono">{workflow.version.slice(0, 12)}</span>
        </span>
        <CopyButton text={workflow.version} what="the version" />
        {home !== null && mayLaunch && (
          <Link className="button primary" to={home.to}>
            {home.verb}
          </Link>
        )}
        {workflow.dialect === "graph" && isAdmin && (
          <Link className="button" to={`/workflows/${encodeURIComponent(name)}/edit`}>
            <Pencil size={14} aria-hidden /> Edit
          </Link>
        )}
      </PageHead>
      {mayStart && (
        <div className="tabs" role="tablist" aria-label="Parts of the workflow">
          {(Object.keys(TABS) as (keyof typeof TABS)[]).map((one) => (
            <button key={one} type="button" role="tab" id={`tab-${one}`} aria-controls="workflow-view" aria-selected={one === tab} onClick={() => setParams(one === "about" ? {} : { tab: one }, { replace: true })}>
              {TABS[one]}
            </button>
          ))}
        </div>
      )}
      <div id="workflow-view" role={mayStart ? "tabpanel" : undefined} aria-labelledby={mayStart ? `tab-${tab}` : undefined}>
        {tab === "about" ? (
          <About workflow={workflow} />
        ) : (
          <Suspense fallback={<Loading what="the form" />}>
            <Launch workflow={workflow} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

function About({ workflow }: { workflow: WorkflowView }) {
  const plan = useMemo(() => readPlan(workflow.plan), [workflow.plan]);
  return (
    <div className="stack">
      {plan !== null && (
        <section className="panel plan">
          <header>
            <h2>Plan</h2>
          </header>
          <GraphView nodes={NOTHING_RUNS} plan={plan} selected={null} onSelect={() => undefined} frozenAt={0} isSketch />
        </section>
      )}
      <div className="two">
        <RecentRuns name={workflow.name} />
        <section className="panel">
          <header>
            <h2>Input</h2>
          </header>
          <div className="body">{workflow.input_schema === null ? <p className="muted">Anything is taken.</p> : <JsonView value={workflow.input_schema} label="the input's schema" />}</div>
        </section>
      </div>
    </div>
  );
}

function RecentRuns({ name }: { name: string }) {
  const client = useQueryClient();
  const { data, error } = useQuery(runsQuery({ workflow: name, limit: 12 }));
  const renew = useMemo(() => renewal(client, [["runs"]], RENEW_MS), [client]);
  useEffect(() => renew.stop, [renew]);
  useAllUpdates((updates) => updates.some(({ workflow }) => workflow === name) && renew(), renew);
  return (
    <section className="panel">
      <header>
        <h2 className="grow">Recent runs</h2>
        <Link to={`/runs?workflow=${encodeURIComponent(name)}`}>All of them</Link>
      </header>
      {error !== null && <ProblemBox problem={error} />}
      {data?.runs.length === 0 && <Empty title="It has not run yet">Start it with the tab above.</Empty>}
      <table className="table">
        <tbody>
          {data?.runs.map((run) => (
            <tr key={run.run_id}>
              <td>
                <Status status={run.status} cancelling={run.cancelling} />
              </td>
              <td className="wide-cell">
                <Link className="mono" to={`/runs/${run.run_id}`}>
                  {run.labels.run ?? shortId(run.run_id)}
                </Link>
                <div className="faint clip about-cell">{run.description}</div>
              </td>
              <td className="faint">
                <Time at={run.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
