/** The journal: the only truth, event by event. Choosing one shows the run as it was then. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";

import type { JournalEvent } from "../api/types";
import { JsonView } from "../ui/json";
import { Empty } from "../ui/parts";
import { absolute, clock, span } from "../ui/time";

const ROW_PX = 28;

interface Props {
  events: JournalEvent[];
  at: number | null;
  onTravel: (seq: number | null) => void;
  onSelect: (location: string) => void;
}

export function JournalTab({ events, at, onTravel, onSelect }: Props) {
  const [text, setText] = useState("");
  const [opened, setOpened] = useState<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => {
    const wanted = text.toLowerCase();
    return wanted === "" ? events : events.filter((event) => event.text.toLowerCase().includes(wanted));
  }, [events, text]);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_PX, overscan: 20, getItemKey: (index) => rows[index]?.seq ?? index });
  useEffect(() => {
    const index = at === null ? -1 : rows.findIndex((event) => event.seq === at);
    if (index >= 0) virtual.scrollToIndex(index, { align: "auto" });
  }, [at, rows, virtual]);
  return (
    <div className="filled">
      <div className="row wrap bar-of-filters">
        <input className="input search" data-search type="search" placeholder="Find an event, a step, a value" aria-label="Find in the journal" value={text} onChange={(event) => setText(event.target.value)} />
        <span className="muted num" role="status">
          {rows.length} of {events.length} events
        </span>
      </div>
      {rows.length === 0 && <Empty title="No event matches" />}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard */}
      <div className="lines" ref={scroller} tabIndex={0} role="region" aria-label="Journal">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const event = rows[index];
            if (event === undefined) return null;
            const before = events[event.seq - (events[0]?.seq ?? 0) - 1];
            const gap = before === undefined ? 0 : Date.parse(event.at) - Date.parse(before.at);
            return (
              <div key={key} data-index={index} ref={virtual.measureElement} className="event" data-future={at !== null && event.seq > at} data-here={event.seq === at} style={{ transform: `translateY(${start}px)` }}>
                <div className="event-row">
                  <button type="button" className="link num event-seq" title="Show the run as of this event" aria-label={`Show the run as of event ${event.seq}`} onClick={() => onTravel(event.seq)}>
                    #{event.seq}
                  </button>
                  <time className="num faint hide-phone" title={absolute(Date.parse(event.at))}>
                    {clock(Date.parse(event.at))}
                  </time>
                  <span className="num faint event-gap hide-phone">{gap >= 1 ? `+${span(gap)}` : ""}</span>
                  <button type="button" className="link event-kind" data-kind={toneOf(event.event)} aria-expanded={opened === event.seq} onClick={() => setOpened(opened === event.seq ? null : event.seq)}>
                    {event.event}
                  </button>
                  {event.location !== null && (
                    <button type="button" className="link mono clip" onClick={() => onSelect(event.location ?? "")}>
                      {event.location}
                    </button>
                  )}
                  <span className="mono muted clip grow">{rest(event)}</span>
                </div>
                {opened === event.seq && (
                  <div className="event-data">
                    <JsonView value={event.data} label="the event's data" />
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The line without what stands in columns of its own. */
function rest({ text, event, location }: JournalEvent): string {
  const prefix = new RegExp(`^#\\d+ ${event} ?`);
  const said = text.replace(prefix, "");
  return location !== null && said.startsWith(location) ? said.slice(location.length).trim() : said;
}

function toneOf(event: string): string {
  if (/Failed|DeadlinePassed|TimedOut/.test(event)) return "failed";
  if (/Succeeded|Completed/.test(event)) return "completed";
  if (/Cancel/.test(event)) return "cancelled";
  if (/Timer|Listen|Message/.test(event)) return "waiting";
  return "other";
}
