/** A value with its past. Quick changes, such as typing, are one step. */

import { useCallback, useRef, useState } from "react";

const STEPS_MAX = 200;
const ONE_STEP_MS = 800;

interface Lane<T> {
  past: T[];
  now: T;
  future: T[];
}

export function useUndo<T>(first: T) {
  const [lane, setLane] = useState<Lane<T>>({ past: [], now: first, future: [] });
  const changedAt = useRef(-Infinity);
  const change = useCallback((next: T) => {
    const at = performance.now();
    const isSame = at - changedAt.current < ONE_STEP_MS;
    changedAt.current = at;
    setLane(({ past, now }) => ({ past: isSame && past.length > 0 ? past : [...past, now].slice(-STEPS_MAX), now: next, future: [] }));
  }, []);
  const undo = useCallback(() => {
    changedAt.current = -Infinity;
    setLane((old) => {
      const last = old.past.at(-1);
      return last === undefined ? old : { past: old.past.slice(0, -1), now: last, future: [old.now, ...old.future] };
    });
  }, []);
  const redo = useCallback(() => {
    changedAt.current = -Infinity;
    setLane((old) => {
      const [next, ...future] = old.future;
      return next === undefined ? old : { past: [...old.past, old.now], now: next, future };
    });
  }, []);
  return { now: lane.now, change, undo, redo, canUndo: lane.past.length > 0, canRedo: lane.future.length > 0 };
}
