/** The catalog of flow steps: who gives what to whom, and the way to any goal. */

import "../run/run.css";
import "../editor/editor.css";
import "../workflows/workflows.css";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus, Waypoints } from "lucide-react";
import { useMemo } from "react";
import { useSearchParams } from "react-router";

import { call } from "../api/client";
import { infoQuery } from "../api/queries";
import type { Json } from "../api/types";
import { GraphView } from "../run/graph/view";
import { Empty, Loading, PageHead, ProblemBox } from "../ui/parts";
import { GoalPanel } from "./goal-panel";
import { assumed, catalogPlan, outsideOf, type CatalogGraph, type PlanPreview } from "./model";
import { StepEditor } from "./step-editor";

const NOTHING: ReadonlySet<string> = new Set();

export function Component() {
  const [params, setParams] = useSearchParams();
  const goals = params.getAll("goal");
  const edited = params.get("edit");
  const isAdmin = useQuery(infoQuery).data?.scope === "admin";
  const { data: graph, error } = useQuery({ queryKey: ["catalog"], queryFn: ({ signal }) => call<CatalogGraph>("/api/steps/graph", { signal }), refetchInterval: 10_000 });
  const preview = usePreview(goals);
  const plan = useMemo(() => (graph === undefined ? null : catalogPlan(graph)), [graph]);
  const dimmed = useMemo(() => (graph === undefined || preview.data === undefined || goals.length === 0 ? NOTHING : outsideOf(preview.data, graph)), [graph, preview.data, goals.length]);
  const unwell = useMemo(() => new Set(graph?.nodes.filter((node) => node.health === "unhealthy").map((node) => node.id)), [graph]);
  const choose = (id: string | null) => {
    if (id === null) setParams({});
    else if (id.startsWith("step:")) setParams({ goal: id.slice("step:".length) });
  };
  const edit = (id: string) => setParams((old) => new URLSearchParams([...[...old].filter(([name]) => name === "goal"), ["edit", id]]));
  return (
    <div className="graph-editor">
      <title>Catalog · Stepwell</title>
      <div className="catalog-head">
        <PageHead title="Catalog" sub="Steps of flows, and the attributes that they give and take. Choose a step to see the way to it; the rest fades.">
          {isAdmin && (
            <button type="button" className="button primary" onClick={() => setParams({ edit: "" })}>
              <Plus size={14} aria-hidden /> New step
            </button>
          )}
        </PageHead>
      </div>
      {error !== null && <ProblemBox problem={error} />}
      <div className="run-body">
        <section className="run-view" aria-label="Picture of the catalog">
          {plan === null ? (
            error === null && <Loading what="the catalog" />
          ) : plan.nodes.length === 0 ? (
            <Empty icon={Waypoints} title="The catalog is empty">
              A step says what it needs and what it gives; name a goal, and Stepwell finds the steps that lead there. Register one here, or from the terminal:
              <pre>stepwell step register examples/flow/quote/*.json</pre>
            </Empty>
          ) : (
            <GraphView nodes={[]} plan={plan} selected={goals[0] === undefined ? null : `step:${goals[0]}`} onSelect={choose} frozenAt={0} isSketch dimmed={dimmed} marked={unwell} />
          )}
        </section>
        {edited !== null ? (
          <StepEditor key={edited} id={edited} ids={graph?.nodes.filter((node) => node.kind === "step").map((node) => node.id.slice(5)) ?? []} onClose={(id) => setParams(id === null ? {} : { goal: id })} />
        ) : (
          goals.length > 0 && (
            <aside className="step-panel editor-panel" aria-label="The way to the goal">
              <GoalPanel goals={goals} graph={graph} preview={preview.isPlaceholderData ? undefined : preview.data} error={preview.error} onGoals={(next) => setParams({ goal: next })} onEdit={isAdmin ? edit : undefined} />
            </aside>
          )
        )}
      </div>
    </div>
  );
}

/**
 * The plan for goals, as it would be once all that has to be given is given.
 *
 * Asked with nothing known, the planner leaves out whatever is optional and cannot be had yet: true, and not what somebody
 * wants to see who is about to give it.
 */
function usePreview(goals: string[]) {
  return useQuery({
    queryKey: ["plan", goals],
    queryFn: async ({ signal }): Promise<PlanPreview> => {
      const ask = (init: Record<string, Json>) => call<PlanPreview>("/api/plans", { method: "POST", body: { goals, init }, signal });
      const bare = await ask({});
      if (bare.required.length === 0) return bare;
      return { ...(await ask(assumed(bare))), required: bare.required };
    },
    enabled: goals.length > 0,
    placeholderData: keepPreviousData,
  });
}
