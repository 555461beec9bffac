/** One palette for policies, everywhere: a colour, a dash and a marker each, so that colour never carries a meaning alone. */
import type { Policy } from "afresh";

export interface Look {
  colour: string;
  /** SVG dash pattern of its lines. */
  dash: string;
  /** Observable Plot symbol of its points. */
  symbol: "circle" | "square" | "triangle" | "diamond" | "star" | "wye" | "cross" | "hexagon" | "times" | "plus";
}

export const policyLook: Record<Policy, Look> = {
  optimal: { colour: "var(--optimal)", dash: "none", symbol: "circle" },
  uniform: { colour: "var(--uniform)", dash: "7 3", symbol: "square" },
  proportional: { colour: "var(--proportional)", dash: "2 3", symbol: "triangle" },
};

/** How the policies are called on the page: the first in labels, the second in sentences. */
export const policyName: Record<Policy, string> = {
  optimal: "Optimal",
  uniform: "Uniform",
  proportional: "Proportional",
};
export const policyPhrase: Record<Policy, string> = {
  optimal: "the optimum",
  uniform: "visiting all alike",
  proportional: "chasing the busiest",
};

export const policies = ["optimal", "uniform", "proportional"] as const satisfies Policy[];
