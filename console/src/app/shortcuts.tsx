/** Keys. `?` lists them. */

import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";

import { Dialog } from "../ui/parts";
import { PLACES, usePlacesHere } from "./shell";

/** How long the second key of a pair may take. */
const PAIR_MS_MAX = 1_200;

export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

export function useShortcuts({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }) {
  const navigate = useNavigate();
  const latest = useRef({ onPalette, onHelp });
  useEffect(() => {
    latest.current = { onPalette, onHelp };
  });
  useEffect(() => {
    let firstAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        latest.current.onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event) || document.querySelector("dialog[open]")) return;
      if (performance.now() - firstAt < PAIR_MS_MAX) {
        const place = PLACES.find(({ keys }) => keys.endsWith(` ${event.key}`));
        firstAt = -Infinity;
        if (place) void navigate(place.to);
      } else if (event.key === "g") {
        firstAt = performance.now();
      } else if (event.key === "?") {
        latest.current.onHelp();
      } else if (event.key === "/") {
        const field = document.querySelector<HTMLElement>("[data-search]");
        if (field) {
          event.preventDefault();
          field.focus();
        }
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate]);
}

const OTHERS: [string, string][] = [
  ["⌘K or Ctrl K", "Go to a workflow, a run or a page"],
  ["/", "Search on this page"],
  ["?", "This list"],
  ["← →", "On the slider of a run: one event back or on"],
  ["1 … 6", "On a run: graph, timeline, tree, logs, journal, data"],
  ["Esc", "Close"],
];

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const places = usePlacesHere();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts keys">
        {places.map(({ keys, name }) => (
          <div key={keys} className="contents">
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        {OTHERS.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
