import { useCallback, useEffect, useRef } from "react";

/** A function that stays the same and calls the latest one. */
export function useLatest<A extends unknown[]>(act: (...all: A) => void): (...all: A) => void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback((...all: A) => latest.current(...all), []);
}
