/** What the run said. Debug lines are hidden at first. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { ScrollText } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";

import { LOG_LEVELS, type LogLine } from "../api/types";
import { Empty, Loading, ProblemBox } from "../ui/parts";
import { absolute, clock } from "../ui/time";
import { useLogs } from "./use-run";

export function LogsTab({ id, until, onSelect }: { id: string; until: number | null; onSelect: (location: string) => void }) {
  const [level, setLevel] = useState("info");
  const [location, setLocation] = useState("");
  const [text, setText] = useState("");
  const { data, error } = useLogs(id, { level, location: location === "" ? null : location });
  const all = useLogs(id, { level: "debug", location: null }).data;
  const locations = useMemo(() => [...new Set(all?.lines.map((line) => line.location))].filter((one) => one !== "").sort(), [all]);
  const lines = useMemo(() => {
    const wanted = text.toLowerCase();
    return (data?.lines ?? []).filter((line) => (until === null || Date.parse(line.at) <= until) && (wanted === "" || line.message.toLowerCase().includes(wanted)));
  }, [data, text, until]);
  const nHidden = level === "debug" || location !== "" ? 0 : (all?.lines.length ?? 0) - (data?.lines.length ?? 0);
  return (
    <div className="filled">
      <div className="row wrap bar-of-filters">
        <label className="row">
          <span className="label">Level</span>
          <select className="select" value={level} onChange={(event) => setLevel(event.target.value)}>
            {LOG_LEVELS.map((one) => (
              <option key={one} value={one}>
                {one === "error" ? one : `${one} and worse`}
              </option>
            ))}
          </select>
        </label>
        <label className="row">
          <span className="label">Step</span>
          <select className="select" value={location} onChange={(event) => setLocation(event.target.value)}>
            <option value="">all</option>
            {locations.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <input className="input search" data-search type="search" placeholder="Find in messages" aria-label="Find in messages" value={text} onChange={(event) => setText(event.target.value)} />
        <span className="muted num" role="status">
          {lines.length} lines{nHidden > 0 && `, ${nHidden} below this level`}
        </span>
      </div>
      {error !== null ? (
        <ProblemBox problem={error} />
      ) : data === undefined ? (
        <Loading what="the logs" />
      ) : lines.length === 0 ? (
        <Empty icon={ScrollText} title="No lines">
          {nHidden > 0 ? "Everything that was logged is below this level." : "Workflows log with ctx.info(…); lines appear here as they are written."}
        </Empty>
      ) : (
        <Lines lines={lines} onSelect={onSelect} />
      )}
    </div>
  );
}

export function Lines({ lines, onSelect }: { lines: LogLine[]; onSelect?: (location: string) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const virtual = useVirtualizer({ count: lines.length, getScrollElement: () => scroller.current, estimateSize: () => 26, overscan: 20, measureElement: (element) => element.getBoundingClientRect().height });
  useEffect(() => {
    // Whoever reads the end goes on reading the end.
    if (isAtEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [lines.length, virtual]);
  return (
    <div
      className="lines"
      ref={scroller}
      role="log"
      aria-label="Log lines"
      // A region that scrolls has to be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40;
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const at = Date.parse(line.at);
          return (
            <div key={key} data-index={index} ref={virtual.measureElement} className="line" data-level={line.level} style={{ transform: `translateY(${start}px)` }}>
              <time className="num faint" title={absolute(at)}>
                {clock(at)}
              </time>
              <span className="line-level">{line.level}</span>
              {onSelect !== undefined && line.location !== "" && (
                <button type="button" className="link mono" onClick={() => onSelect(line.location)}>
                  {line.location}
                </button>
              )}
              <span className="line-text">
                {line.message}
                {line.fields !== null && <span className="faint"> {JSON.stringify(line.fields)}</span>}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
