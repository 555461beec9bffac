/** Thousands of alike dots as a few paths: as many circles would take the browser longer than the plan behind them. */
import type { RenderFunction } from "@observablehq/plot";

/** Within one path dots that overlap do not darken each other, so neighbours in a list go into different ones. */
const LAYERS = 12;
const SVG = "http://www.w3.org/2000/svg";

interface Look {
  /** Radius in pixels. */
  r: number;
  fill: string;
  fillOpacity: number;
}

/** A mark of dots at `x` and `y`; what an axis has no place for is left out. */
export function dots(x: ArrayLike<number>, y: ArrayLike<number>, { r, fill, fillOpacity }: Look): RenderFunction {
  return (_, scales) => {
    const [toX, toY] = [scales.x, scales.y];
    if (toX === undefined || toY === undefined) return null;
    const paths = Array.from({ length: Math.min(LAYERS, x.length) }, () => "");
    for (let i = 0; i < x.length; i++) {
      const [left, top] = [toX(x[i]) as number, toY(y[i]) as number];
      // A line of no length with round ends is a dot.
      if (Number.isFinite(left) && Number.isFinite(top)) paths[i % LAYERS] += `M${left.toFixed(1)} ${top.toFixed(1)}h0`;
    }
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("stroke", fill);
    group.setAttribute("stroke-opacity", String(fillOpacity));
    group.setAttribute("stroke-width", String(2 * r));
    group.setAttribute("stroke-linecap", "round");
    for (const d of paths) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", d);
      group.append(path);
    }
    return group;
  };
}
