/** Bars, one on the other: how many runs began, and what became of them. */

import "uplot/dist/uPlot.min.css";

import { useEffect, useMemo, useRef } from "react";
import uPlot, { type AlignedData, type Options } from "uplot";

import type { CountsOverTime, RunStatus } from "../api/types";
import { useLook } from "../app/theme";
import { lookOf } from "../ui/status";

/** From the bottom of a bar to its top. */
const STACK: { label: string; statuses: RunStatus[] }[] = [
  { label: "Completed", statuses: ["completed"] },
  { label: "Cancelled", statuses: ["cancelled"] },
  { label: "Under way", statuses: ["pending", "running", "waiting", "rolling_back"] },
  { label: "Failed", statuses: ["failed"] },
];
const HEIGHT = 190;

export default function Chart({ counts, stepMs }: { counts: CountsOverTime; stepMs: number }) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const look = useLook();
  const stacked = useMemo(() => stack(counts), [counts]);
  const first = useRef(stacked);

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const made = new uPlot(options(element, stepMs), first.current, element);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
    // Colours are read from the page when the chart is made.
  }, [look, stepMs]);

  useEffect(() => {
    first.current = stacked;
    plot.current?.setData(stacked);
  }, [stacked]);

  const totals = STACK.map(({ label, statuses }) => [label, counts.buckets.reduce((sum, bucket) => sum + sumOf(bucket.counts, statuses), 0), statuses[0]] as const);
  return (
    <div>
      <div ref={host} role="img" aria-label={`Runs over time: ${totals.map(([label, n]) => `${n} ${label.toLowerCase()}`).join(", ")}`} />
      <ul className="row wrap legend">
        {totals.map(([label, n, status]) => (
          <li key={label}>
            <span className="swatch" style={{ background: `var(--${status === undefined ? "pending" : toneOf(label, status)})` }} aria-hidden /> {label} <span className="num faint">{n.toLocaleString()}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function toneOf(label: string, status: RunStatus): string {
  return label === "Under way" ? "running" : lookOf(status).tone;
}

function sumOf(counts: Partial<Record<RunStatus, number>>, statuses: RunStatus[]): number {
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** Each series on top of those before it; drawn from the highest to the lowest. */
export function stack({ buckets }: CountsOverTime): AlignedData {
  const times = buckets.map((bucket) => Date.parse(bucket.from) / 1_000);
  const rows: number[][] = [];
  for (const { statuses } of STACK) {
    const below = rows.at(-1);
    rows.push(buckets.map((bucket, n) => (below?.[n] ?? 0) + sumOf(bucket.counts, statuses)));
  }
  return [times, ...rows.reverse()];
}

function options(element: HTMLElement, stepMs: number): Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour("ink-3"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "11px Inter Variable, sans-serif" };
  const bars = uPlot.paths.bars?.({ size: [0.72, 40], align: 1, radius: 0.1 });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: (_, min, max) => [min, max + stepMs / 1_000] }, y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
    axes: [axis, { ...axis, size: 42, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000] }],
    series: [{}, ...[...STACK].reverse().map(({ label, statuses }) => ({ label, fill: colour(toneOf(label, statuses[0] ?? "pending")), width: 0, paths: bars, points: { show: false } }))],
  };
}
