/** Whether what runs depend on is well: the services of catalog steps, and the tool servers. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import { useAbilities } from "../api/abilities";
import { call } from "../api/client";
import type { CatalogGraph } from "../catalog/model";
import { toolServersQuery } from "../tools/page";
import { Status, type AnyStatus } from "../ui/status";

interface Line {
  key: string;
  to: string;
  name: string;
  status: AnyStatus;
  word: string;
  about: string;
}

/** More lines than this are a list of their own. */
const LINES_MAX = 6;

export function Health() {
  const has = useAbilities();
  const { data: graph } = useQuery({ queryKey: ["catalog"], queryFn: ({ signal }) => call<CatalogGraph>("/api/steps/graph", { signal }), enabled: has("get /api/steps/graph"), refetchInterval: 15_000 });
  const { data: servers = [] } = useQuery({ ...toolServersQuery(false), enabled: has("get /api/tools/servers") });
  const steps = graph?.nodes.filter((node) => node.kind === "step") ?? [];
  const unwell = steps.filter((node) => node.health === "unhealthy");
  if (steps.length === 0 && servers.length === 0) return null;
  const lines: Line[] = [
    ...unwell.map(({ id, label }): Line => ({ key: id, to: `/catalog?goal=${encodeURIComponent(id.slice(5))}`, name: label, status: "failed", word: "unhealthy", about: "step" })),
    ...servers.map((server): Line => ({ key: server.name, to: "/tools", name: server.name, status: server.state === "connected" ? "completed" : server.state === "failed" ? "failed" : "pending", word: server.state, about: server.error ?? "tool server" })),
  ];
  return (
    <section className="panel">
      <header>
        <h2 className="grow">Health</h2>
        {steps.length > 0 && (
          <Link to="/catalog">
            {steps.length - unwell.length} of {steps.length} steps are well
          </Link>
        )}
      </header>
      <ul className="body health">
        {lines.slice(0, LINES_MAX).map(({ key, to, name, status, word, about }) => (
          <li key={key} className="row">
            <Status status={status} word={word} />
            <Link to={to}>{name}</Link>
            <span className="muted clip grow">{about}</span>
          </li>
        ))}
        {lines.length === 0 && <li className="muted">All of it is well.</li>}
        {lines.length > LINES_MAX && <li className="muted">and {lines.length - LINES_MAX} more</li>}
      </ul>
    </section>
  );
}
