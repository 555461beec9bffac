/** What a chart can be read by: series of points, found by the pointer or walked with the arrow keys. */
import type { Scale } from "@observablehq/plot";

export interface Series {
  name: string;
  colour: string;
  x: ArrayLike<number>;
  y: ArrayLike<number> | readonly string[];
  /** The point in words, with units. */
  tell: (index: number) => string;
}

export interface Spot {
  series: number;
  index: number;
  left: number;
  top: number;
}

export type Place = (x: number | string | undefined, y: number | string | undefined) => { left: number; top: number };

function middle(scale: Scale | undefined, value: number | string | undefined): number {
  if (scale === undefined || value === undefined) return NaN;
  return (scale.apply(value) as number) + (scale.bandwidth ?? 0) / 2;
}

/** Turns data into pixels with the scales that the plot was drawn with. */
export function placing(x: Scale | undefined, y: Scale | undefined): Place {
  return (a, b) => ({ left: middle(x, a), top: middle(y, b) });
}

/** The readable point nearest to the pointer; points off the paper do not count. */
export function nearest(
  series: readonly Series[],
  place: Place,
  left: number,
  top: number,
  width: number,
  height: number,
): Spot | undefined {
  let best: Spot | undefined;
  let least = Infinity;
  series.forEach((one, which) => {
    for (let index = 0; index < one.x.length; index++) {
      const at = place(one.x[index], one.y[index]);
      if (!(at.left >= 0 && at.left <= width && at.top >= 0 && at.top <= height)) continue;
      const across = at.left - left;
      const down = at.top - top;
      // Along the line first: a reader moves sideways and expects the line to follow.
      const distance = across * across + 0.3 * down * down;
      if (distance < least) {
        least = distance;
        best = { series: which, index, ...at };
      }
    }
  });
  return best;
}

/** Moves labels apart so that none covers another, keeping their order and staying on the paper. */
export function apart(tops: readonly number[], gap: number, bottom: number): number[] {
  const order = tops.map((_, index) => index).sort((a, b) => (tops[a] ?? 0) - (tops[b] ?? 0));
  const placed = [...tops];
  let above = -Infinity;
  for (const index of order) above = placed[index] = Math.max(placed[index] ?? 0, above + gap);
  let below = bottom;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index] ?? 0, below);
    below = (placed[index] ?? 0) - gap;
  }
  return placed;
}
