/** The nodes that share a store: which of them live, and who owns what. */

import "./cluster.css";

import { useQuery } from "@tanstack/react-query";
import { Server } from "lucide-react";
import type { CSSProperties } from "react";

import { call } from "../api/client";
import { Empty, Loading, PageHead, ProblemBox } from "../ui/parts";
import { Status } from "../ui/status";
import { span } from "../ui/time";
import { huesOf } from "./hue";

interface NodeView {
  id: string;
  name: string;
  address: string | null;
  version: string;
  is_self: boolean;
  is_alive: boolean;
  beat_ago_ms: number;
  n_shards: number;
}

interface ShardView {
  shard: number;
  epoch: number;
  node: string | null;
}

interface ClusterView {
  shared: boolean;
  nodes: NodeView[];
  shards: ShardView[];
}

/** How often nodes are asked how they are: nothing pushes a heartbeat. */
const LOOK_MS = 2_000;

export function Component() {
  const { data, error } = useQuery({
    queryKey: ["cluster"],
    queryFn: ({ signal }) => call<ClusterView>("/api/cluster", { signal }),
    refetchInterval: LOOK_MS,
  });
  return (
    <div className="page">
      <title>Nodes · Stepwell</title>
      <PageHead title="Nodes" sub="The servers that share one store, and the runs that each of them takes care of." />
      {error !== null && <ProblemBox problem={error} />}
      {data === undefined && error === null && <Loading what="the nodes" />}
      {data?.shared === false && (
        <section className="panel">
          <Empty icon={Server} title="One node">
            This server has its store to itself. To share the work, start any number of servers on one PostgreSQL:
            <pre>stepwell serve --store postgres://stepwell@db/stepwell</pre>
          </Empty>
        </section>
      )}
      {data?.shared === true && <Shared view={data} />}
    </div>
  );
}

function Shared({ view }: { view: ClusterView }) {
  // A node without a lease has no colour: it owns nothing.
  const hues = huesOf(view.nodes.filter(({ is_alive }) => is_alive).map(({ id }) => id));
  return (
    <>
      <Nodes nodes={view.nodes} hues={hues} />
      <Shards view={view} hues={hues} />
    </>
  );
}

type Hues = Map<string, number>;

/** As the command line says it: nodes of one machine share a name. */
const nameOf = ({ id, name }: NodeView) => `${name} (${id.slice(-6)})`;

function Patch({ hue }: { hue: number | undefined }) {
  return <span className={hue === undefined ? "shard free" : "shard"} style={hue === undefined ? undefined : ({ "--hue": hue } as CSSProperties)} aria-hidden />;
}

function Nodes({ nodes, hues }: { nodes: NodeView[]; hues: Hues }) {
  return (
    <section className="panel">
      <div className="scroll-x">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">State</th>
              <th scope="col">Last heard of</th>
              <th scope="col">Shards</th>
              <th scope="col">Address</th>
              <th scope="col">Version</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={node.id}>
                <td>
                  <Patch hue={hues.get(node.id)} /> {nameOf(node)} {node.is_self && <span className="tag">this one</span>}
                </td>
                <td>
                  <Status status={node.is_alive ? "completed" : "failed"} word={node.is_alive ? "alive" : "lease ran out"} />
                </td>
                <td className="num">{span(node.beat_ago_ms)} ago</td>
                <td className="num">{node.n_shards}</td>
                <td className="mono">{node.address ?? "not said"}</td>
                <td>{node.version}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Shards({ view: { nodes, shards }, hues }: { view: ClusterView; hues: Hues }) {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  const n_free = shards.filter(({ node }) => node === null).length;
  return (
    <section className="panel">
      <header>
        <h2>Shards</h2>
        <span className="muted grow">{n_free === 0 ? `All ${shards.length} have an owner.` : `${n_free} of ${shards.length} wait for an owner.`}</span>
      </header>
      <ul className="shards body" aria-label="Shards">
        {shards.map(({ shard, epoch, node }) => {
          const about = `Shard ${shard}: ${node === null ? "nobody's" : (names.get(node) ?? node)}, epoch ${epoch}`;
          return (
            <li key={shard} title={about}>
              <Patch hue={node === null ? undefined : hues.get(node)} />
              <span className="visually-hidden">{about}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
