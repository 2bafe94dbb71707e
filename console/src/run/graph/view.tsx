/** The picture of a run, live. */

import "@xyflow/react/dist/style.css";
import "./graph.css";

import {
  Background,
  BackgroundVariant,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge as FlowEdge,
  type Node as FlowNode,
  type NodeProps,
} from "@xyflow/react";
import { ChevronsDownUp, ChevronsUpDown, Undo2 } from "lucide-react";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";

import type { Plan } from "../../api/types";
import { useLook } from "../../app/theme";
import { StatusIcon, lookOf, toneVar } from "../../ui/status";
import { relative, span, useNow } from "../../ui/time";
import type { Node, Tally } from "../model";
import { KindIcon } from "./kinds";
import { BOX, directionFor, type Point } from "./place";
import { extentOf, shapeOf, type Arrow, type Box } from "./shape";
import { usePlaces } from "./use-places";
import { WayView } from "./way";

interface Props {
  nodes: Node[];
  plan: Plan | null;
  selected: string | null;
  onSelect: (location: string | null) => void;
  /** The time that is shown; null follows the clock. */
  frozenAt: number | null;
  /** A plan that nothing runs by; its own boxes are chosen, not the entries of a run. */
  isSketch?: boolean;
  /** Boxes with something wrong. */
  marked?: ReadonlySet<string>;
  /** Boxes that are not what this is about. */
  dimmed?: ReadonlySet<string>;
}

/** Smaller than this nobody can read a box: what does not fit is reached by moving. */
const FIT = { padding: 0.12, minZoom: 0.4, maxZoom: 1.05, duration: 0 };

const NONE: ReadonlySet<string> = new Set();

type BoxNode = FlowNode<{ box: Box; isSelected: boolean; frozenAt: number | null; isWide: boolean; isSketch: boolean; pick: string | null; isMarked: boolean; isDimmed: boolean; onSelect: (id: string) => void; onOpen: (id: string) => void; isOpen: boolean }, "box">;

const NODE_TYPES = { box: memo(BoxView) };
const EDGE_TYPES = { way: memo(WayView) };

export function GraphView(props: Props) {
  return (
    <ReactFlowProvider>
      <Inside {...props} />
    </ReactFlowProvider>
  );
}

function Inside({ nodes, plan, selected, onSelect, frozenAt, isSketch = false, marked = NONE, dimmed = NONE }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const host = useRef<HTMLDivElement>(null);
  const room = useRoom(host);
  const shape = useMemo(() => shapeOf(nodes, plan, open), [nodes, plan, open]);
  const direction = useMemo(() => (room === null ? null : directionFor(extentOf(shape), room)), [room, shape]);
  const places = usePlaces(shape, direction);
  const isWide = direction === "LR";
  const look = useLook();
  const toggle = useMemo(
    () => (id: string) =>
      setOpen((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );

  const flowNodes = useMemo(
    (): BoxNode[] =>
      shape.boxes
        .filter((box) => places.boxes[box.id] !== undefined)
        .map((box) => [box, isSketch ? box.id : (box.node?.location ?? null)] as const)
        .map(([box, pick]) => ({
          id: box.id,
          type: "box",
          position: places.boxes[box.id] ?? { x: 0, y: 0 },
          data: { box, pick, isSketch, isMarked: marked.has(box.id), isDimmed: dimmed.has(box.id), isSelected: pick !== null && pick === selected, frozenAt, isWide, onSelect, onOpen: toggle, isOpen: open.has(box.id) },
          ...BOX,
          // Boxes are not dragged or chosen by React Flow, which would let clicks fall through them then.
          style: { pointerEvents: "all" },
        })),
    [shape, places, selected, frozenAt, isWide, onSelect, toggle, open, isSketch, marked, dimmed],
  );
  const flowEdges = useMemo((): FlowEdge[] => shape.arrows.map((arrow) => edgeOf(arrow, places.ways[arrow.id], isWide)), [shape, places, isWide]);
  const touched = useFit(flowNodes.length, selected);

  return (
    <div className="graph" data-testid="graph" ref={host}>
      <ReactFlow
        nodes={flowNodes}
        edges={flowEdges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        colorMode={look}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        minZoom={0.05}
        maxZoom={1.6}
        onlyRenderVisibleElements={flowNodes.length > 200}
        onMoveStart={(event) => {
          if (event !== null) touched.current = true;
        }}
        onPaneClick={() => onSelect(null)}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1.2} color="var(--line)" />
        <Controls showInteractive={false} position="bottom-left" />
      </ReactFlow>
    </div>
  );
}

/** The room that there is at first. A panel that opens beside the picture makes it smaller, not another one. */
function useRoom(host: RefObject<HTMLDivElement | null>): { width: number; height: number } | null {
  const [room, setRoom] = useState<{ width: number; height: number } | null>(null);
  useLayoutEffect(() => {
    if (host.current !== null) setRoom({ width: host.current.clientWidth, height: host.current.clientHeight });
  }, [host]);
  return room;
}

/** Shows all of it when there is more to see, unless somebody has chosen where to look. */
function useFit(nBoxes: number, selected: string | null) {
  const { fitView } = useReactFlow();
  const touched = useRef(false);
  useEffect(() => {
    // A panel that opens or closes changes the room there is. New boxes are known to the picture one frame later.
    if (touched.current || nBoxes === 0) return;
    const timer = setTimeout(() => void fitView(FIT), 50);
    return () => clearTimeout(timer);
  }, [nBoxes, selected, fitView]);
  return touched;
}

function edgeOf({ id, from, to, label, isTaken }: Arrow, way: Point[] | undefined, isWide: boolean): FlowEdge {
  const colour = "var(--arrow)";
  return {
    id,
    source: from,
    target: to,
    label: label ?? undefined,
    ...(way === undefined ? { type: "smoothstep" } : { type: "way", data: { way, isWide } }),
    className: isTaken ? "edge" : "edge is-planned",
    style: { stroke: colour, strokeWidth: 1.5 },
    labelStyle: { fill: "var(--ink-2)", fontSize: 11 },
    labelBgStyle: { fill: "var(--bg)" },
    markerEnd: { type: MarkerType.ArrowClosed, color: colour, width: 14, height: 14 },
  };
}

function BoxView({ data }: NodeProps<BoxNode>) {
  const { box, pick, isSketch, isMarked, isDimmed, isSelected, frozenAt, isWide, onSelect, onOpen, isOpen } = data;
  const { node } = box;
  const Opens = isOpen ? ChevronsDownUp : ChevronsUpDown;
  return (
    <div className="box" data-status={box.status} data-selected={isSelected} data-marked={isMarked} data-dimmed={isDimmed} data-sketch={isSketch} data-kind={box.kind} style={{ "--tone": toneVar(box.status) } as React.CSSProperties}>
      <Handle type="target" position={isWide ? Position.Left : Position.Top} />
      <button type="button" className="box-main" disabled={pick === null} onClick={() => pick !== null && onSelect(pick)} aria-pressed={isSelected}>
        {isSketch ? (
          <KindIcon kind={box.kind} />
        ) : (
          <>
            <StatusIcon status={box.status} size={16} />
            <span className="visually-hidden">{lookOf(box.status).word}</span>
          </>
        )}
        <span className="box-text">
          <span className="box-title clip">
            {box.branch !== null && <span className="box-branch">{box.branch} › </span>}
            {box.title}
            {node?.undo && <Undo2 size={12} aria-label="taken back" className="box-undo" />}
          </span>
          <span className="box-sub clip">
            <Sub box={box} frozenAt={frozenAt} />
          </span>
        </span>
      </button>
      {box.opens !== null && (
        <button type="button" className="box-open" onClick={() => onOpen(box.id)} aria-label={isOpen ? "Hide the branches" : "Show every branch"} title={isOpen ? "Hide the branches" : "Show every branch"}>
          <Opens size={14} aria-hidden />
        </button>
      )}
      {box.parts !== null && <Progress parts={box.parts} />}
      <Handle type="source" position={isWide ? Position.Right : Position.Bottom} />
    </div>
  );
}

function Sub({ box, frozenAt }: { box: Box; frozenAt: number | null }) {
  const isMoving = box.status === "running" || box.status === "waiting" || box.status === "waiting_retry";
  const ticking = useNow(isMoving && frozenAt === null ? 1_000 : null);
  const { node } = box;
  const what = box.detail === null ? box.kind : `${box.kind} ${box.detail}`;
  if (node === null) return <>{what}</>;
  const now = frozenAt ?? ticking;
  if (node.skipped_because !== undefined) return <>skipped: {node.skipped_because}</>;
  if (node.status === "waiting_retry" && node.retry_at !== undefined) {
    return (
      <>
        attempt {node.attempts + 1} {relative(Date.parse(node.retry_at), now)}
      </>
    );
  }
  if (node.status === "waiting" && node.until !== undefined) {
    return (
      <>
        {what}, {relative(Date.parse(node.until), now)}
      </>
    );
  }
  if (node.status === "failed" && node.error !== undefined) return <>{node.error.message}</>;
  const ms = node.startMs === null ? null : (node.endMs ?? now) - node.startMs;
  const tries = node.attempts > 1 ? `, ${node.attempts} attempts` : "";
  const counted = box.parts === null ? "" : `, ${box.parts.completed} of ${Object.values(box.parts).reduce((sum, n) => sum + n, 0)}`;
  return (
    <>
      {what}
      {ms !== null && ms >= 1 && ` · ${span(ms)}`}
      {tries}
      {counted}
    </>
  );
}

function Progress({ parts }: { parts: Tally }) {
  const total = Object.values(parts).reduce((sum, n) => sum + n, 0);
  return (
    <span className="box-progress" aria-hidden>
      {(Object.keys(parts) as (keyof Tally)[])
        .filter((status) => parts[status] > 0)
        .map((status) => (
          <span key={status} style={{ width: `${(100 * parts[status]) / total}%`, background: toneVar(status) }} />
        ))}
    </span>
  );
}
