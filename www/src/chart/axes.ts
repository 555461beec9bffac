/** Axes that read alike in every chart: few ticks, plain numbers, a unit. */
import type { ScaleOptions } from "@observablehq/plot";
import { quantity } from "../format/numbers";

/** Round values inside a range of several decades: powers of ten, and 2 and 5 between them when there is room. */
export function logTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const decades = last - first;
  const steps = decades <= 2 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / 6));
  const ticks: number[] = [];
  for (let decade = first; decade <= last; decade += stride)
    for (const step of steps) {
      const tick = Number(`${step}e${decade}`);
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  return ticks;
}

/** A quantity's axis: logarithmic over its range, or linear from zero or from where it starts. */
export function axis(
  label: string,
  [low, high]: [number, number],
  { log = false, show = quantity, ticks = 5 }: { log?: boolean; show?: (value: number) => string; ticks?: number } = {},
): ScaleOptions {
  // Plot also passes an index, which must not be taken for a number of digits.
  const tickFormat = (value: number) => show(value);
  return log
    ? { type: "log", domain: [low, high], label, ticks: logTicks(low, high), tickFormat }
    : { type: "linear", domain: [low, high], label, ticks, tickFormat };
}

/** The least and the greatest finite value of several columns; undefined when there is none. */
export function extent(...columns: ArrayLike<number>[]): [number, number] | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns)
    for (let i = 0; i < column.length; i++) {
      const value = column[i] ?? NaN;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return low <= high ? [low, high] : undefined;
}

/** The least value above zero. */
export function leastPositive(...columns: ArrayLike<number>[]): number {
  let least = Infinity;
  for (const column of columns)
    for (let i = 0; i < column.length; i++) {
      const value = column[i] ?? NaN;
      if (value > 0 && value < least) least = value;
    }
  return least;
}

/** A unit of time in which a span of days reads well. */
export function timeUnit(span: number): { name: string; perDay: number } {
  if (span <= 0.002) return { name: "seconds", perDay: 86_400 };
  if (span <= 0.1) return { name: "minutes", perDay: 1440 };
  if (span <= 3) return { name: "hours", perDay: 24 };
  if (span <= 1500) return { name: "days", perDay: 1 };
  return { name: "years", perDay: 1 / 365.25 };
}
