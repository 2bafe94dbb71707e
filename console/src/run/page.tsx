/** A run: everything about it, now or as of any of its events. */

import "./run.css";

import { useQuery } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useParams, useSearchParams } from "react-router";

import { workflowQuery } from "../api/queries";
import { isTyping } from "../app/shortcuts";
import { flowPlan } from "../catalog/model";
import { Loading, ProblemBox } from "../ui/parts";
import { DataTab } from "./data";
import { GraphView } from "./graph/view";
import { readPlan } from "./graph/shape";
import { RunHead } from "./head";
import { JournalTab } from "./journal";
import { LogsTab } from "./logs";
import { attemptsOf, byLocation, find } from "./model";
import { StepPanel } from "./panel";
import { TimelineTab } from "./timeline";
import { Travel } from "./travel";
import { TreeTab } from "./tree";
import { useRun } from "./use-run";

const TABS = ["graph", "timeline", "tree", "logs", "journal", "data"] as const;
type Tab = (typeof TABS)[number];

export function Component() {
  const { id = "" } = useParams();
  // Another run is another page: nothing of the last one may shine through.
  return <RunPage key={id} id={id} />;
}

function RunPage({ id }: { id: string }) {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((one) => one === params.get("tab")) ?? "graph";
  const selected = params.get("step");
  const [at, setAt] = useTravel(params.get("at"), setParams);
  // Moving the slider is one thing, and to draw all of it again another: the slider does not wait.
  const drawnAt = useDeferredValue(at);
  const { now, picture, error, journal } = useRun(id, drawnAt);
  const { data: workflow } = useQuery({ ...workflowQuery(now?.workflow ?? ""), enabled: now !== undefined });

  const set = useCallback(
    (name: string, value: string | null) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          if (value === null) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParams],
  );
  const select = useCallback((location: string | null) => set("step", location), [set]);
  useTabKeys((one) => set("tab", one));

  const about = useMemo(() => byLocation(journal), [journal]);
  const shownSeq = picture?.run.seq ?? Infinity;
  const attempts = useCallback((location: string) => attemptsOf(about.get(location) ?? [], shownSeq), [about, shownSeq]);
  // A flow's plan is made for each run, and stands in its input.
  const plan = useMemo(
    () => (now?.dialect === "flow" ? flowPlan(now.input) : workflow?.version === now?.version ? readPlan(workflow?.plan) : null),
    [workflow, now?.version, now?.dialect, now?.input],
  );

  if (now === undefined || picture === null) {
    return <div className="page">{error ? <ProblemBox problem={error} /> : <Loading what="the run" />}</div>;
  }
  const { run: shown, nodes } = picture;
  const frozenAt = drawnAt === null ? (now.ended_at === null ? null : Date.parse(now.ended_at)) : Date.parse(shown.updated_at);
  const node = selected === null ? null : find(nodes, selected);
  return (
    <div className="run">
      <title>{`${now.workflow} · Stepwell`}</title>
      <RunHead run={shown} now={now} isPast={drawnAt !== null} />
      <Travel events={journal} lastSeq={now.last_seq} at={at} onChange={setAt} />
      {error !== null && <ProblemBox problem={error} />}
      <div className="tabs" role="tablist" aria-label="Views of the run">
        {TABS.map((one) => (
          <button key={one} type="button" role="tab" id={`tab-${one}`} aria-selected={one === tab} aria-controls="run-view" onClick={() => set("tab", one === "graph" ? null : one)}>
            {one === "data" ? "Data" : one.charAt(0).toUpperCase() + one.slice(1)}
          </button>
        ))}
      </div>
      <div className="run-body">
        <section className="run-view" id="run-view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          {tab === "graph" && <GraphView nodes={nodes} plan={plan} selected={selected} onSelect={select} frozenAt={frozenAt} />}
          {tab === "timeline" && <TimelineTab run={shown} nodes={nodes} attempts={attempts} selected={selected} onSelect={select} frozenAt={frozenAt} />}
          {tab === "tree" && <TreeTab nodes={nodes} omitted={shown.entries_omitted} selected={selected} onSelect={select} frozenAt={frozenAt} />}
          {tab === "logs" && <LogsTab id={id} until={drawnAt === null ? null : Date.parse(shown.updated_at)} onSelect={select} />}
          {tab === "journal" && <JournalTab events={journal} at={drawnAt} onTravel={setAt} onSelect={select} />}
          {tab === "data" && <DataTab run={shown} />}
        </section>
        {node !== null && <StepPanel key={node.location} run={shown} node={node} attempts={attempts(node.location)} at={drawnAt} onClose={() => select(null)} frozenAt={frozenAt} />}
      </div>
    </div>
  );
}

/** Where in time the page stands. The address follows when the slider rests, so that sliding stays smooth. */
function useTravel(inAddress: string | null, setParams: ReturnType<typeof useSearchParams>[1]) {
  const [at, setAt] = useState<number | null>(() => (inAddress === null ? null : Math.max(0, Number.parseInt(inAddress, 10) || 0)));
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((at === null ? null : String(at)) === new URLSearchParams(window.location.search).get("at")) return;
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          if (at === null) next.delete("at");
          else next.set("at", String(at));
          return next;
        },
        { replace: true, preventScrollReset: true },
      );
    }, 250);
    return () => clearTimeout(timer);
  }, [at, setParams]);
  return [at, setAt] as const;
}

function useTabKeys(choose: (tab: Tab | null) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const tab = TABS[Number(event.key) - 1];
      if (tab === undefined || event.metaKey || event.ctrlKey || event.altKey || isTyping(event) || document.querySelector("dialog[open]")) return;
      choose(tab === "graph" ? null : tab);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}
