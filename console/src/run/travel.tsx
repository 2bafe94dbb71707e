/** Time travel: a slider over the journal that redraws the whole page as of any event. */

import { ChevronFirst, ChevronLeft, ChevronRight, Pause, Play, Radio } from "lucide-react";
import { useEffect, useState } from "react";

import type { JournalEvent } from "../api/types";
import { clock } from "../ui/time";
import { eventAt } from "./model";

/** How long a replay of the whole journal takes, at the most and for each event. */
const PLAY_MS_MAX = 20_000;
const PLAY_EVENT_MS_MAX = 600;

interface Props {
  events: JournalEvent[];
  lastSeq: number;
  at: number | null;
  onChange: (at: number | null) => void;
}

export function Travel({ events, lastSeq, at, onChange }: Props) {
  const seq = Math.min(at ?? lastSeq, lastSeq);
  const [isPlaying, setPlaying] = usePlaying({ lastSeq, at, onChange });
  const event = eventAt(events, seq);
  const go = (to: number) => onChange(Math.max(0, Math.min(lastSeq, to)));
  const text = event === undefined ? `event ${seq}` : event.text.replace(/^#\d+ /, "");
  return (
    <div className="travel" data-past={at !== null}>
      <div className="row travel-buttons">
        <button type="button" className="button plain icon small" aria-label="To the first event" onClick={() => go(0)}>
          <ChevronFirst size={15} aria-hidden />
        </button>
        <button type="button" className="button plain icon small" aria-label="One event back" onClick={() => go(seq - 1)}>
          <ChevronLeft size={15} aria-hidden />
        </button>
        <button type="button" className="button plain icon small" aria-label={isPlaying ? "Stop" : "Play the run"} onClick={() => setPlaying(!isPlaying)}>
          {isPlaying ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
        </button>
        <button type="button" className="button plain icon small" aria-label="One event on" onClick={() => go(seq + 1)}>
          <ChevronRight size={15} aria-hidden />
        </button>
      </div>
      <input
        type="range"
        min={0}
        max={Math.max(1, lastSeq)}
        value={seq}
        aria-label="Time travel: the event that is shown last"
        aria-valuetext={`event ${seq} of ${lastSeq}: ${text.slice(0, 120)}`}
        onChange={(change) => go(Number(change.target.value))}
        style={{ "--done": `${(100 * seq) / Math.max(1, lastSeq)}%` } as React.CSSProperties}
      />
      <span className="travel-event clip" title={text}>
        <span className="num faint">
          {seq}/{lastSeq} {event !== undefined && clock(Date.parse(event.at))}
        </span>{" "}
        <span className="mono">{text}</span>
      </span>
      <button type="button" className="button small" disabled={at === null} onClick={() => onChange(null)}>
        <Radio size={13} aria-hidden /> Now
      </button>
    </div>
  );
}

function usePlaying({ lastSeq, at, onChange }: Omit<Props, "events">) {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const start = at === null || at >= lastSeq ? 0 : at;
    const forEvent = Math.min(PLAY_EVENT_MS_MAX, PLAY_MS_MAX / Math.max(1, lastSeq));
    // Long journals play several events at once rather than redraw too often.
    const forTick = Math.max(forEvent, 60);
    const timer = setTimeout(() => {
      const next = start + Math.max(1, Math.round(forTick / forEvent));
      if (next >= lastSeq) {
        setPlaying(false);
        onChange(null);
      } else {
        onChange(at === null || at >= lastSeq ? 0 : next);
      }
    }, forTick);
    return () => clearTimeout(timer);
  }, [isPlaying, at, lastSeq, onChange]);
  return [isPlaying, setPlaying] as const;
}
