/** The tree of entries, for reading and for the keyboard. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useMemo, useRef, useState, type KeyboardEvent } from "react";

import type { Json } from "../api/types";
import { Empty } from "../ui/parts";
import { StatusIcon, lookOf } from "../ui/status";
import { relative, span, useNow } from "../ui/time";
import { flatten, title, type Node } from "./model";

const ROW_PX = 32;
/** Wider entries begin folded. */
const OPEN_MAX = 30;

interface Props {
  nodes: Node[];
  omitted: number;
  selected: string | null;
  onSelect: (location: string) => void;
  frozenAt: number | null;
}

export function TreeTab({ nodes, omitted, selected, onSelect, frozenAt }: Props) {
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (node: Node) => folded.get(node.location) ?? node.children.length <= OPEN_MAX;
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `isOpen` is `folded`
  const rows = useMemo(() => flatten(nodes, isOpen), [nodes, folded]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_PX, overscan: 12 });
  const fold = (node: Node, open: boolean) => setFolded(new Map(folded).set(node.location, open));
  const at = rows.findIndex((node) => node.location === selected);

  const onKeyDown = (event: KeyboardEvent) => {
    const node = rows[at];
    const go = (to: number) => {
      const target = rows[Math.max(0, Math.min(rows.length - 1, to))];
      if (target === undefined) return;
      onSelect(target.location);
      virtual.scrollToIndex(rows.indexOf(target));
    };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "ArrowRight" && node) {
      if (isOpen(node)) go(at + 1);
      else fold(node, true);
    } else if (event.key === "ArrowLeft" && node) {
      if (node.children.length > 0 && isOpen(node)) fold(node, false);
      else go(rows.findLastIndex((row, n) => n < at && row.depth < node.depth));
    } else return;
    event.preventDefault();
  };

  if (rows.length === 0) return <Empty title="Nothing has happened yet">The first entry of the run appears here as it begins.</Empty>;
  return (
    <div className="tree" ref={scroller} role="tree" tabIndex={0} aria-label="Entries of the run" aria-activedescendant={at >= 0 ? `entry-${at}` : undefined} onKeyDown={onKeyDown}>
      {omitted > 0 && <p className="muted tree-note">{omitted} later entries are left out of this answer; the journal has all of them.</p>}
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = rows[index];
          if (node === undefined) return null;
          const hasMore = node.children.length > 0;
          const open = isOpen(node);
          const Chevron = open ? ChevronDown : ChevronRight;
          return (
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree takes the keys
            <div
              key={node.location}
              id={`entry-${index}`}
              role="treeitem"
              tabIndex={-1}
              aria-level={node.depth + 1}
              aria-selected={index === at}
              aria-expanded={hasMore ? open : undefined}
              className="tree-row"
              style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + node.depth * 18 }}
              onClick={() => onSelect(node.location)}
            >
              {hasMore ? (
                <button type="button" className="tree-fold" tabIndex={-1} aria-label={open ? "Fold" : "Unfold"} onClick={() => fold(node, !open)}>
                  <Chevron size={14} aria-hidden />
                </button>
              ) : (
                <span className="tree-fold" />
              )}
              <StatusIcon status={node.status} />
              <span className="visually-hidden">{lookOf(node.status).word}</span>
              <strong className="clip">{title(node)}</strong>
              <span className="faint">{node.kind}</span>
              {hasMore && !open && <span className="tag">{node.children.length}</span>}
              <span className="clip grow muted mono tree-value">{said(node)}</span>
              <When node={node} frozenAt={frozenAt} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function said(node: Node): string {
  if (node.skipped_because !== undefined) return node.skipped_because;
  if (node.status === "failed" && node.error !== undefined) return node.error.message;
  return node.output === undefined || node.output === null ? "" : brief(node.output);
}

function brief(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function When({ node, frozenAt }: { node: Node; frozenAt: number | null }) {
  const isMoving = node.endMs === null && frozenAt === null;
  const ticking = useNow(isMoving ? 1_000 : null);
  const now = frozenAt ?? ticking;
  const date = node.retry_at ?? (node.endMs === null ? node.until : undefined);
  return (
    <span className="num faint nowrap">
      {node.attempts > 1 && <span className="tag">{node.attempts} attempts</span>} {date !== undefined && node.endMs === null ? relative(Date.parse(date), now) : node.startMs === null ? "" : span((node.endMs ?? now) - node.startMs)}
    </span>
  );
}
