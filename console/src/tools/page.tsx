/** The upstream tool servers: whether they can be reached, and what they offer. */

import "./tools.css";

import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, Plug, RefreshCw } from "lucide-react";
import { useState } from "react";

import { call } from "../api/client";
import { useTools, type ToolView } from "../editor/step-form";
import { JsonView } from "../ui/json";
import { Empty, Loading, PageHead, ProblemBox } from "../ui/parts";
import { Status, type AnyStatus } from "../ui/status";

interface ToolServer {
  name: string;
  transport: string;
  address: string;
  state: "idle" | "connecting" | "connected" | "failed";
  error: string | null;
  n_tools: number | null;
  n_connections: number;
  said: string[];
}

const LOOKS: Record<ToolServer["state"], AnyStatus> = { idle: "pending", connecting: "running", connected: "completed", failed: "failed" };

/** How they stand; `connect` has those connected that are not. */
export const toolServersQuery = (connect: boolean) =>
  queryOptions({
    queryKey: ["tool-servers", connect],
    queryFn: async ({ signal }) => (await call<{ servers: ToolServer[] }>("/api/tools/servers", { signal, query: { connect: String(connect) } })).servers,
    staleTime: 10_000,
  });

export function Component() {
  const client = useQueryClient();
  const { data, error, isFetching } = useQuery(toolServersQuery(true));
  const { data: tools } = useTools();
  const refresh = () => {
    for (const key of ["tool-servers", "tools"]) void client.invalidateQueries({ queryKey: [key] });
  };
  return (
    <div className="page">
      <title>Tool servers · Stepwell</title>
      <PageHead title="Tool servers" sub="The MCP servers whose tools graphs and recordings call.">
        <button type="button" className="button" disabled={isFetching} onClick={refresh}>
          <RefreshCw size={14} aria-hidden /> Ask again
        </button>
      </PageHead>
      {error !== null && <ProblemBox problem={error} />}
      {data === undefined && error === null && <Loading what="the servers" />}
      {data?.length === 0 && (
        <section className="panel">
          <Empty icon={Plug} title="No tool servers">
            Name them in a file, and start the server with it:
            <pre>{'{"mcpServers": {"files": {"command": "mcp-server-filesystem", "args": ["/data"]}}}\n\nstepwell serve --mcp-config mcp.json'}</pre>
          </Empty>
        </section>
      )}
      {data?.map((server) => (
        <section key={server.name} className="panel">
          <header>
            <h2>{server.name}</h2>
            <Status status={LOOKS[server.state]} word={server.state} />
            <span className="muted clip grow mono">
              {server.transport} {server.address}
            </span>
            {server.n_tools !== null && <span className="tag num">{server.n_tools} tools</span>}
            {server.n_connections > 1 && <span className="tag num">connected {server.n_connections}×</span>}
          </header>
          <div className="body stack">
            {server.error !== null && <div className="field-error">{server.error}</div>}
            {server.said.length > 0 && (
              <details>
                <summary>What it last said</summary>
                <pre className="json">{server.said.join("\n")}</pre>
              </details>
            )}
            <Tools tools={tools?.tools.filter((tool) => tool.server === server.name) ?? []} />
          </div>
        </section>
      ))}
    </div>
  );
}

function Tools({ tools }: { tools: ToolView[] }) {
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <ul className="tools">
      {tools.map((tool) => (
        <li key={tool.name}>
          <button type="button" className="tool" aria-expanded={opened === tool.name} onClick={() => setOpened(opened === tool.name ? null : tool.name)}>
            {opened === tool.name ? <ChevronDown size={13} aria-hidden /> : <ChevronRight size={13} aria-hidden />}
            <span className="mono">{tool.name}</span>
            <span className="muted clip grow">{tool.description}</span>
            {tool.annotations?.readOnlyHint === true && <span className="tag hide-phone">only looks</span>}
          </button>
          {opened === tool.name && <JsonView value={tool.input_schema} label={`the input of ${tool.name}`} />}
        </li>
      ))}
    </ul>
  );
}
