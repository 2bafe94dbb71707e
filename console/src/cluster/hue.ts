/** Hues that tell nodes apart, by their ids: each a golden angle from the one before, beginning with our own. */
export function huesOf(ids: string[]): Map<string, number> {
  return new Map(ids.toSorted().map((id, n) => [id, Math.round(185 + n * 137.508) % 360]));
}
