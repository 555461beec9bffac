/** The words of the lab: what a metric, a model, an order means, and how its values read. */
import type { Averages, Metric, Model, Order, Policy } from "afresh";
import { duration, percent, points, quantity } from "../../format/numbers";

export interface MetricWords {
  name: string;
  explains: string;
  /** A value with its unit. */
  show: (value: number) => string;
  /** A difference of two values, with its unit. */
  difference: (value: number) => string;
  higherIsBetter: boolean;
}

export const metricWords: Record<Metric, MetricWords> = {
  freshness: {
    name: "Freshness",
    explains: "The share that is up to date at any moment. Higher is better.",
    show: percent,
    difference: (value) => `${points(value)} points`,
    higherIsBetter: true,
  },
  age: {
    name: "Age",
    explains: "How long ago the first change happened that we have not seen. Lower is better.",
    show: duration,
    difference: duration,
    higherIsBetter: false,
  },
  content: {
    name: "Content",
    explains: "The delays of all changes not yet seen, added up. Lower is better.",
    show: duration,
    difference: duration,
    higherIsBetter: false,
  },
  harmonic: {
    name: "Harmonic",
    explains: "The k-th change not yet seen counts 1/k, so nothing is ever given up. Lower is better.",
    show: (value) => quantity(value),
    difference: (value) => quantity(value),
    higherIsBetter: false,
  },
};

export const metrics = ["freshness", "age", "content", "harmonic"] as const satisfies Metric[];

export function averageOf(averages: Averages, metric: Metric): number {
  return averages[metric];
}

export const models: { value: Model; label: string; explains: string }[] = [
  { value: "poisson", label: "Known rates", explains: "Changes come at random, at a known rate (Poisson)." },
  {
    value: "gamma-poisson",
    label: "Uncertain rates",
    explains: "The rates are estimates and may be off (Gamma–Poisson).",
  },
  { value: "weibull", label: "Ageing or settling", explains: "Changes grow more or less likely with time (Weibull)." },
];

export function metricUnavailable(metric: Metric, model: Model): string | undefined {
  return model === "weibull" && (metric === "content" || metric === "harmonic")
    ? "not defined for ageing changes"
    : undefined;
}

export const orders: { value: Order; label: string }[] = [
  { value: "fixed", label: "Fixed order, even gaps" },
  { value: "random", label: "Reshuffled every round" },
  { value: "purely-random", label: "Purely random" },
];

export const policyOptions: { value: Policy; label: string; colour: string }[] = [
  { value: "optimal", label: "Optimal", colour: "var(--optimal)" },
  { value: "uniform", label: "Uniform", colour: "var(--uniform)" },
  { value: "proportional", label: "Prop.", colour: "var(--proportional)" },
];
