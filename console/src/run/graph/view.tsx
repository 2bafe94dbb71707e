/** The picture of a run, live. */

import "@xyflow/react/dist/style.css";
import "./graph.css";

import {
  Background,
  BackgroundVariant,
  Controls,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Node as FlowNode,
  type NodeProps,
} from "@xyflow/react";
import { ChevronsDownUp, ChevronsUpDown, Undo2 } from "lucide-react";
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";

import type { Plan } from "../../api/types";
import { useLook } from "../../app/theme";
import { StatusIcon, lookOf, toneVar } from "../../ui/status";
import { relative, span, useNow } from "../../ui/time";
import { useLatest } from "../../ui/use-latest";
import type { Node, Tally } from "../model";
import { Arrows } from "./arrows";
import { KindIcon } from "./kinds";
import { BOX, directionFor, fitted, type Places, type Room } from "./place";
import { extentOf, shapeOf, type Box } from "./shape";
import { usePlaces } from "./use-places";

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

const NONE: ReadonlySet<string> = new Set();

interface BoxData {
  box: Box;
  isSelected: boolean;
  frozenAt: number | null;
  isSketch: boolean;
  pick: string | null;
  isMarked: boolean;
  isDimmed: boolean;
  isOpen: boolean;
  onSelect: (id: string) => void;
  onOpen: (id: string) => void;
  [key: string]: unknown;
}
type BoxNode = FlowNode<BoxData, "box">;

const NODE_TYPES = { box: memo(BoxView) };
/** More boxes than this are drawn only where they can be seen. */
const DRAWN_MAX = 60;
// Boxes are not dragged or chosen by React Flow, which would let clicks fall through them then.
const CLICKED = { pointerEvents: "all" } as const;

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
  const toggle = useCallback(
    (id: string) =>
      setOpen((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const choose = useLatest(onSelect);

  const drawn = useRef(new Map<string, BoxNode>());
  const flowNodes = useMemo((): BoxNode[] => {
    const before = drawn.current;
    const nodes = shape.boxes.flatMap((box): BoxNode[] => {
      const position = places.boxes[box.id];
      if (position === undefined) return [];
      const pick = isSketch ? box.id : (box.node?.location ?? null);
      // What has ended is the same at any time.
      const time = box.node === null || box.node.endMs === null ? frozenAt : null;
      const data = { box, pick, isSketch, isMarked: marked.has(box.id), isDimmed: dimmed.has(box.id), isSelected: pick !== null && pick === selected, frozenAt: time, isOpen: open.has(box.id), onSelect: choose, onOpen: toggle };
      return [kept(before.get(box.id), { id: box.id, type: "box", position, data, ...BOX, style: CLICKED })];
    });
    drawn.current = new Map(nodes.map((node) => [node.id, node]));
    return nodes;
  }, [shape, places, selected, frozenAt, choose, toggle, open, isSketch, marked, dimmed]);
  const touched = useFit(host, places, isWide, selected);
  // Where it begins to look is known before anything is drawn, so that it is not drawn twice.
  const isReady = room !== null && (flowNodes.length > 0 || shape.boxes.length === 0);

  return (
    <div className="graph" data-testid="graph" ref={host}>
      {isReady && (
        <ReactFlow
          nodes={flowNodes}
          nodeTypes={NODE_TYPES}
          colorMode={look}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          minZoom={0.05}
          maxZoom={1.6}
          defaultViewport={fitted(places, room, isWide) ?? undefined}
          onlyRenderVisibleElements={flowNodes.length > DRAWN_MAX}
          onMove={(event) => {
            // A click moves nothing, and to fit it has no event.
            if (event !== null) touched.current = true;
          }}
          onPaneClick={() => onSelect(null)}
        >
          <Arrows arrows={shape.arrows} places={places} isWide={isWide} isSketch={isSketch} />
          <Background variant={BackgroundVariant.Dots} gap={22} size={1.2} color="var(--line)" />
          <Controls showInteractive={false} position="bottom-left" />
        </ReactFlow>
      )}
    </div>
  );
}

/** The old one, if it shows the same: then it is not drawn again. */
function kept(old: BoxNode | undefined, fresh: BoxNode): BoxNode {
  if (old === undefined || old.position !== fresh.position || !isSameBox(old.data.box, fresh.data.box)) return fresh;
  const { box: _, ...data } = fresh.data;
  return Object.entries(data).every(([key, value]) => old.data[key] === value) ? old : fresh;
}

function isSameBox(a: Box, b: Box): boolean {
  return a.node === b.node && a.title === b.title && a.branch === b.branch && a.kind === b.kind && a.detail === b.detail && a.status === b.status && a.opens === b.opens && JSON.stringify(a.parts) === JSON.stringify(b.parts);
}

/** The room that there is at first. A panel that opens beside the picture makes it smaller, not another one. */
function useRoom(host: RefObject<HTMLDivElement | null>): Room | null {
  const [room, setRoom] = useState<Room | null>(null);
  useLayoutEffect(() => {
    if (host.current !== null) setRoom(roomOf(host.current));
  }, [host]);
  return room;
}

function roomOf({ clientWidth: width, clientHeight: height }: HTMLElement): Room {
  return { width, height };
}

/** Shows all of it when there is more to see, unless somebody has chosen where to look. */
function useFit(host: RefObject<HTMLDivElement | null>, places: Places, isWide: boolean, selected: string | null) {
  const { setViewport } = useReactFlow();
  const touched = useRef(false);
  useEffect(() => {
    if (touched.current) return;
    // A panel that opens or closes changes the room there is, one frame later.
    const timer = setTimeout(() => {
      const viewport = host.current === null ? null : fitted(places, roomOf(host.current), isWide);
      if (viewport !== null) void setViewport(viewport);
    }, 50);
    return () => clearTimeout(timer);
  }, [host, places, isWide, selected, setViewport]);
  return touched;
}

function BoxView({ data }: NodeProps<BoxNode>) {
  const { box, pick, isSketch, isMarked, isDimmed, isSelected, frozenAt, onSelect, onOpen, isOpen } = data;
  const { node } = box;
  const Opens = isOpen ? ChevronsDownUp : ChevronsUpDown;
  return (
    <div className="box" data-status={box.status} data-selected={isSelected} data-marked={isMarked} data-dimmed={isDimmed} data-sketch={isSketch} data-kind={box.kind} style={{ "--tone": toneVar(box.status) } as React.CSSProperties}>
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
    </div>
  );
}

function Sub({ box, frozenAt }: { box: Box; frozenAt: number | null }) {
  const isMoving = box.status === "running" || box.status === "waiting" || box.status === "waiting_retry";
  const ticking = useNow(isMoving && frozenAt === null ? 1_000 : null);
  const { node } = box;
  // How many of how many says more than what it is, and both do not fit.
  const what = box.parts !== null ? progressOf(box.parts) : box.detail === null ? box.kind : `${box.kind} ${box.detail}`;
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
  return (
    <>
      {what}
      {ms !== null && ms >= 1 && ` · ${span(ms)}`}
      {tries}
    </>
  );
}

const sum = (parts: Tally) => Object.values(parts).reduce((total, n) => total + n, 0);

function progressOf(parts: Tally): string {
  return `${parts.completed.toLocaleString()} of ${sum(parts).toLocaleString()}`;
}

function Progress({ parts }: { parts: Tally }) {
  const total = sum(parts);
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
