/** What a person chose in the Allocate lab, serialisable as it stands, and the question that it asks of the engine. */
import type { Knobs, KnobValue, Mapping, Metric, Model, Order, Plan, Policy, SortKey } from "afresh";
import type { FileSource } from "./data.svelte";

export type Source =
  | { kind: "example"; name: string }
  | { kind: "gamma"; mean: number; delta: number; items: number }
  | FileSource<Mapping>;

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

export const FIRST_EXAMPLE = "packages";

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

/** The choices of a plan that stand in the state under the same name. */
const sameNames = [
  ...planKeys,
  "item",
  "sort",
  "descending",
  "search",
  "logAxes",
  "importanceDividedOut",
] as const satisfies (keyof AllocateState)[];

/** Everything that was chosen, as the knobs of a plan. */
export function planKnobs(state: AllocateState): Record<string, KnobValue> {
  const { source, simulation, timetable } = state;
  const all: Record<string, KnobValue | undefined> = {
    ...Object.fromEntries(sameNames.map((name) => [name, state[name]])),
    simulationHorizon: simulation.horizon,
    simulationRuns: simulation.runs,
    seed: simulation.seed,
    timetableHorizon: timetable.horizon,
    timetableStart: timetable.start,
    timetableSlot: timetable.slot,
    timetableCapacity: timetable.capacity,
    ...(source.kind === "gamma" && {
      gammaMean: source.mean,
      gammaDelta: source.delta,
      gammaItems: source.items,
    }),
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, KnobValue] => entry[1] !== undefined),
  );
}

/** A plan's knobs laid over the state that suits its data; the engine has checked their kinds. */
export function withKnobs(state: AllocateState, knobs: NonNullable<Plan["knobs"]>): AllocateState {
  const named = Object.fromEntries(sameNames.filter((name) => name in knobs).map((name) => [name, knobs[name]]));
  const number = (name: string) => knobs[name] as number | undefined;
  return {
    ...state,
    ...(named as Partial<AllocateState>),
    simulation: {
      horizon: number("simulationHorizon") ?? state.simulation.horizon,
      runs: number("simulationRuns") ?? state.simulation.runs,
      seed: number("seed") ?? state.simulation.seed,
    },
    timetable: {
      horizon: number("timetableHorizon") ?? state.timetable.horizon,
      start: number("timetableStart") ?? state.timetable.start,
      slot: number("timetableSlot"),
      capacity: number("timetableCapacity"),
    },
  };
}

/** What a plan's example is here; the gamma database is an example with knobs of its own. */
export function sourceOf(name: string, knobs: NonNullable<Plan["knobs"]>): Exclude<Source, { kind: "file" }> {
  if (name !== "gamma") return { kind: "example", name };
  const { gammaMean: mean, gammaDelta: delta, gammaItems: items } = knobs;
  return typeof mean === "number" && typeof delta === "number" && typeof items === "number"
    ? { kind: "gamma", mean, delta, items }
    : { kind: "gamma", mean: 1, delta: 1, items: 10_000 };
}
