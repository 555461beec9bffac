/** What a person chose in the Allocate lab, serialisable as it stands, and the question that it asks of the engine. */
import type { Knobs, Mapping, Metric, Model, Order, Policy, SortKey } from "afresh";

export type Source =
  | { kind: "example"; name: string }
  | { kind: "gamma"; mean: number; delta: number; items: number }
  | { kind: "file"; name: string; mapping: Mapping; dropBad: boolean };

export interface AllocateState {
  source: Source;
  model: Model;
  metric: Metric;
  order: Order;
  policy: Policy;
  asks: "budget" | "target";
  budget: number;
  target: number;
  shape: number;
  evidence: number;
  hostCap: number | undefined;
  minEvery: number | undefined;
  maxEvery: number | undefined;
  /** The row that is drawn; none is the one with the largest share of the budget. */
  item: number | undefined;
  sort: SortKey;
  descending: boolean;
  search: string;
  logAxes: boolean;
  importanceDividedOut: boolean;
  simulation: { horizon: number; runs: number; seed: number };
  timetable: { horizon: number; start: number; slot: number | undefined; capacity: number | undefined };
}

const FIRST_EXAMPLE = "packages";

/** The choices that a plan depends on. */
export const planKeys = [
  "model",
  "metric",
  "order",
  "policy",
  "asks",
  "budget",
  "target",
  "shape",
  "evidence",
  "hostCap",
  "minEvery",
  "maxEvery",
] as const satisfies (keyof AllocateState)[];

/** Midnight, so that a timetable made twice on one day is the same. */
function today(): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 86_400_000;
}

export function initialState(): AllocateState {
  return {
    source: { kind: "example", name: FIRST_EXAMPLE },
    model: "poisson",
    metric: "freshness",
    order: "fixed",
    policy: "optimal",
    asks: "budget",
    budget: 1,
    target: 0.9,
    shape: 1,
    evidence: 10,
    hostCap: undefined,
    minEvery: undefined,
    maxEvery: undefined,
    item: undefined,
    sort: "share",
    descending: true,
    search: "",
    logAxes: true,
    importanceDividedOut: true,
    simulation: { horizon: 30, runs: 100, seed: 1 },
    timetable: { horizon: 7, start: today(), slot: undefined, capacity: undefined },
  };
}

export function knobsOf(state: AllocateState): Knobs {
  return {
    model: state.model,
    metric: state.metric,
    order: state.order,
    policy: state.policy,
    budget: state.asks === "budget" ? state.budget : undefined,
    target: state.asks === "target" ? state.target : undefined,
    shape: state.model === "weibull" ? state.shape : undefined,
    evidence: state.model === "gamma-poisson" ? state.evidence : undefined,
    hostCap: state.hostCap,
    minEvery: state.minEvery,
    maxEvery: state.maxEvery,
  };
}
