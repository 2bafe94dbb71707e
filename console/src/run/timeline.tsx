/** When what happened: one bar for each entry, with its attempts. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { ZoomIn, ZoomOut } from "lucide-react";
import { memo, useMemo, useRef, useState } from "react";

import type { RunDetail } from "../api/types";
import { Empty } from "../ui/parts";
import { StatusIcon, toneVar } from "../ui/status";
import { absolute, span, useNow } from "../ui/time";
import { flatten, title, type AttemptView, type Node } from "./model";

const ROW_PX = 30;
const ZOOM_MAX = 64;
const TICKS = 6;
/** A bar that ends in the last part of the track has its label before it; on it, if it begins in the first part as well. */
const LATE = 0.88;
const NO_ATTEMPTS: AttemptView[] = [];

interface Props {
  run: RunDetail;
  nodes: Node[];
  /** The attempts of the step at a location. */
  attempts: (location: string) => AttemptView[];
  selected: string | null;
  onSelect: (location: string) => void;
  frozenAt: number | null;
}

export function TimelineTab({ run, nodes, attempts, selected, onSelect, frozenAt }: Props) {
  const [zoom, setZoom] = useState(1);
  const scroller = useRef<HTMLDivElement>(null);
  const ticking = useNow(frozenAt === null ? 500 : null);
  const rows = useMemo(() => flatten(nodes), [nodes]);
  const from = Date.parse(run.created_at);
  const until = Math.max(from + 1, frozenAt ?? ticking);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_PX, overscan: 12 });
  if (rows.length === 0) return <Empty title="Nothing has happened yet">The first entry of the run appears here as it begins.</Empty>;
  const tickAt = (n: number) => from + ((until - from) * n) / TICKS;
  return (
    <div className="timeline" ref={scroller}>
      <div className="timeline-inside" style={{ "--zoom": zoom } as React.CSSProperties}>
        <div className="timeline-head">
          <div className="timeline-name row">
            <span className="muted grow">{rows.length} entries</span>
            <button type="button" className="button plain icon small" aria-label="Less detail" disabled={zoom <= 1} onClick={() => setZoom(zoom / 2)}>
              <ZoomOut size={14} aria-hidden />
            </button>
            <button type="button" className="button plain icon small" aria-label="More detail" disabled={zoom >= ZOOM_MAX} onClick={() => setZoom(zoom * 2)}>
              <ZoomIn size={14} aria-hidden />
            </button>
          </div>
          <div className="timeline-track" aria-hidden>
            {Array.from({ length: TICKS }, (_, n) => (
              <span key={n} className="tick num" style={{ left: `${(100 * n) / TICKS}%` }}>
                {n === 0 ? "0" : span(tickAt(n) - from)}
              </span>
            ))}
          </div>
        </div>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const node = rows[index];
            if (node === undefined) return null;
            const isOpen = node.endMs === null;
            return (
              <Row
                key={node.location}
                node={node}
                top={start}
                from={from}
                width={until - from}
                // Only what still goes on has to be drawn again when time passes.
                until={isOpen ? until : (node.endMs ?? until)}
                attempts={node.attempts > 1 ? attempts(node.location) : NO_ATTEMPTS}
                isSelected={node.location === selected}
                onSelect={onSelect}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  node: Node;
  top: number;
  from: number;
  width: number;
  until: number;
  attempts: AttemptView[];
  isSelected: boolean;
  onSelect: (location: string) => void;
}

const Row = memo(function Row({ node, top, from, width, until, attempts, isSelected, onSelect }: RowProps) {
  const at = (ms: number) => `${(100 * (ms - from)) / width}%`;
  const startMs = node.startMs ?? until;
  const long = `${(100 * Math.max(0, until - startMs)) / width}%`;
  const isGroup = node.children.length > 0;
  const [isEarly, isLate] = [startMs - from < width * (1 - LATE), until - from > width * LATE];
  return (
    <button type="button" className="timeline-row" data-selected={isSelected} style={{ transform: `translateY(${top}px)` }} onClick={() => onSelect(node.location)} title={`${title(node)}: ${absolute(startMs)}, ${span(until - startMs)}`}>
      <span className="timeline-name row" style={{ paddingLeft: 10 + Math.min(node.depth, 8) * 14 }}>
        <StatusIcon status={node.status} />
        <span className="clip">{title(node)}</span>
        <span className="faint clip kind">{node.kind}</span>
      </span>
      <span className="timeline-track">
        <span className={isGroup ? "bar is-group" : "bar"} data-open={node.endMs === null} style={{ left: at(startMs), width: long, "--tone": toneVar(node.status) } as React.CSSProperties} />
        {attempts.length > 1 && attempts.map((attempt, n) => <AttemptMark key={n} attempt={attempt} from={from} width={width} until={until} />)}
        <span className={isEarly && isLate ? "bar-label num is-inside" : "bar-label num"} style={!isLate ? { left: `calc(${at(startMs)} + ${long} + 6px)` } : isEarly ? { right: 12 } : { right: `calc(100% - ${at(startMs)} + 6px)` }}>
          {span(until - startMs)}
        </span>
      </span>
    </button>
  );
});

function AttemptMark({ attempt, from, width, until }: { attempt: AttemptView; from: number; width: number; until: number }) {
  const endMs = attempt.endMs ?? until;
  const startMs = attempt.startMs ?? endMs;
  const tone = attempt.how === "failed" ? "var(--failed)" : attempt.how === "succeeded" ? "var(--completed)" : "var(--running)";
  return <span className="attempt" style={{ left: `${(100 * (startMs - from)) / width}%`, width: `${(100 * (endMs - startMs)) / width}%`, background: tone }} />;
}
