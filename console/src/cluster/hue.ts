/** A hue for a node by its id, the same wherever it is shown. */
export function hueOf(id: string): number {
  let hash = 0;
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 3_600;
  // The golden angle keeps neighbours apart.
  return Math.round((hash * 137.508) % 360);
}
