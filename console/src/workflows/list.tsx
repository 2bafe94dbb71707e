/** Every workflow, of every dialect. */

import "./workflows.css";

import { useQuery } from "@tanstack/react-query";
import { Play, Plus, Workflow } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import { useAbility } from "../api/abilities";
import { infoQuery, workflowsQuery } from "../api/queries";
import { useMayLaunch } from "../run/actions";
import { Empty, Loading, PageHead, ProblemBox } from "../ui/parts";

export function Component() {
  const { data, error } = useQuery(workflowsQuery);
  const [text, setText] = useState("");
  const mayLaunch = useMayLaunch();
  const canWrite = useAbility("put /api/workflows/{name}");
  const mayWrite = useQuery(infoQuery).data?.scope === "admin" && canWrite;
  const wanted = text.toLowerCase();
  const shown = data?.filter(({ name, title, description }) => `${name} ${title ?? ""} ${description ?? ""}`.toLowerCase().includes(wanted));
  return (
    <div className="page">
      <title>Workflows · Stepwell</title>
      <PageHead title="Workflows" sub="What can be run here, in every dialect.">
        <input className="input search" type="search" data-search placeholder="Find a workflow" aria-label="Find a workflow" value={text} onChange={(event) => setText(event.target.value)} />
        {mayWrite && (
          <Link className="button" to="/graphs/new">
            <Plus size={14} aria-hidden /> New graph
          </Link>
        )}
      </PageHead>
      {error !== null && <ProblemBox problem={error} />}
      {data === undefined && error === null && <Loading what="the workflows" />}
      {data?.length === 0 && (
        <Empty icon={Workflow} title="No workflow is registered">
          Write one in TypeScript and serve its folder, register one in your program, or draw a graph here:
          <pre>{'stepwell init shop && stepwell serve --workflows shop/workflows\n\nengine.register(workflow("checkout", checkout))?;'}</pre>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && shown?.length === 0 && <Empty title="No workflow matches" />}
      <ul className="cards">
        {shown?.map(({ name, title, description, dialect, version }) => {
          const to = `/workflows/${encodeURIComponent(name)}`;
          return (
            <li key={name} className="panel card">
              <div className="row">
                <h2 className="clip grow">
                  <Link to={to}>{title ?? name}</Link>
                </h2>
                <span className="tag">{dialect}</span>
              </div>
              <p className="muted card-text">{description ?? "No description."}</p>
              <div className="row">
                <span className="faint mono clip grow" title={version}>
                  {name} · {version.slice(0, 10)}
                </span>
                <Link className="button small plain" to={`/runs?workflow=${encodeURIComponent(name)}`}>
                  Runs
                </Link>
                {mayLaunch && (
                  <Link className="button small" to={`${to}?tab=launch`}>
                    <Play size={12} aria-hidden /> Start
                  </Link>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
