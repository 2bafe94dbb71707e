/** The places of a shape's boxes, found off the main thread. Old places hold until new ones are there. */

import { useEffect, useMemo, useRef, useState } from "react";

import { NOWHERE, type PlaceWish, type Places } from "./place";
import type { Shape } from "./shape";

export function usePlaces(shape: Shape, direction: PlaceWish["direction"] | null): Places {
  const [places, setPlaces] = useState<Places>(NOWHERE);
  const worker = useRef<Worker>(null);
  const latest = useRef(0);

  // Only what is connected with what decides places; a status that changes moves nothing.
  const key = useMemo(() => {
    if (direction === null) return null;
    const wish: PlaceWish = { boxes: shape.boxes.map((box) => box.id), arrows: shape.arrows.map(({ from, to }) => ({ from, to })), direction };
    return JSON.stringify(wish);
  }, [shape, direction]);

  useEffect(() => {
    const made = new Worker(new URL("./place.worker.ts", import.meta.url), { type: "module" });
    made.onmessage = ({ data }: MessageEvent<{ n: number; places: Places }>) => {
      if (data.n === latest.current) setPlaces(data.places);
    };
    worker.current = made;
    return () => {
      made.terminate();
      worker.current = null;
    };
  }, []);

  useEffect(() => {
    if (key === null) return;
    latest.current += 1;
    worker.current?.postMessage({ n: latest.current, wish: JSON.parse(key) as PlaceWish });
  }, [key]);

  return places;
}
