import { place, type PlaceWish } from "./place";

self.onmessage = ({ data }: MessageEvent<{ n: number; wish: PlaceWish }>) => {
  self.postMessage({ n: data.n, places: place(data.wish) });
};
