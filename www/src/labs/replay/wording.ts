/** The Replay lab's words: what a column of a log means, and what each policy is. */
import type { LogRole, PolicyName } from "afresh";
import { policyLook, type Look } from "../../chart";
import { moment, quantity, sentence } from "../../format/numbers";
import type { ProblemError } from "../../worker/engine";

export const logRoleNames: Record<LogRole, string> = {
  ignore: "Not used",
  item: "Item",
  time: "Time",
  changed: "Changed? (a log of visits)",
  "last-modified": "Last modified",
  weight: "Weight",
};

export interface PolicyWords {
  name: string;
  /** What it is, in a sentence. */
  is: string;
  look: Look;
}

const rule = (dash: string, symbol: Look["symbol"]): Look => ({ colour: "var(--soft)", dash, symbol });

export const policyWords: Record<PolicyName, PolicyWords> = {
  uniform: {
    name: "Uniform",
    is: "Every item is visited alike. It needs no model; its promise is that of the Gamma–Poisson one.",
    look: policyLook.uniform,
  },
  proportional: {
    name: "Proportional",
    is: "Items are visited in proportion to how often they changed while learning.",
    look: policyLook.proportional,
  },
  optimal: {
    name: "Optimal (Poisson)",
    is: "The best plan for freshness if each item changes at exactly the rate that it had while learning. What never changed is never visited.",
    look: policyLook.optimal,
  },
  "gamma-poisson": {
    name: "Optimal (Gamma–Poisson)",
    is: "The best plan for freshness when each rate is as uncertain as its history leaves it, and drawn towards the others.",
    look: { colour: "var(--gamma)", dash: "none", symbol: "diamond" },
  },
  weibull: {
    name: "Optimal (Weibull)",
    is: "The best plan for freshness if the gaps between changes follow a Weibull law of the shape fitted to them.",
    look: { colour: "var(--weibull)", dash: "9 3 2 3", symbol: "hexagon" },
  },
  "age-optimal": {
    name: "Age-optimal",
    is: "The best plan for age instead of freshness: it gives up on nothing that changes.",
    look: { colour: "var(--age)", dash: "5 2", symbol: "star" },
  },
  "harmonic-optimal": {
    name: "Harmonic-optimal",
    is: "The best plan for the harmonic penalty, a compromise that gives up on nothing.",
    look: { colour: "var(--harmonic)", dash: "3 2", symbol: "wye" },
  },
  "cube-root": {
    name: "Cube-root law",
    is: "Frequencies as the cube root of weight times rate: a rule without a solver, best for content freshness.",
    look: { colour: "var(--root)", dash: "8 2 2 2 2 2", symbol: "cross" },
  },
  greedy: {
    name: "Greedy online",
    is: "Each visit goes to the item that is worth most just then; nothing is planned ahead.",
    look: { colour: "var(--greedy)", dash: "4 4", symbol: "plus" },
  },
  nutch: {
    name: "Nutch",
    is: "Nutch's adaptive schedule: a fifth sooner after a change, two fifths later after none; all its intervals stretched by one factor to make as many visits as the others.",
    look: rule("1 3", "times"),
  },
  "storm-crawler": {
    name: "StormCrawler",
    is: "StormCrawler's adaptive scheduler: in about half the time after a change, half as late again after none; its intervals stretched by one factor to make as many visits as the others.",
    look: rule("6 4", "times"),
  },
  miniflux: {
    name: "Miniflux",
    is: "Miniflux's entry frequency: as often as an item changed in the last week, within limits, stretched by one factor.",
    look: rule("10 2", "times"),
  },
  online: {
    name: "Online re-planning",
    is: "Starts from the fit, then sees only whether each of its own visits found a change, and plans anew every so often.",
    look: { colour: "var(--online)", dash: "12 3 2 3", symbol: "triangle" },
  },
  hindsight: {
    name: "Hindsight",
    is: "Plans with the rates of the test itself, which nobody has: the ceiling for any plan of fixed frequencies.",
    look: { colour: "var(--ink)", dash: "10 4", symbol: "circle" },
  },
};

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** A time of the log in words: a date, or a plain number. */
export function when(time: number, calendar: boolean): string {
  if (!Number.isFinite(time)) return moment(time);
  return calendar ? date.format(time * 86_400_000) : `day ${quantity(time, 4)}`;
}

/** 2026-10-27, as a date field has it; and back. */
export function isoDay(time: number): string {
  return new Date(time * 86_400_000).toISOString().slice(0, 10);
}
export function dayOf(iso: string): number | undefined {
  const day = Date.parse(`${iso}T00:00:00Z`) / 86_400_000;
  return Number.isFinite(day) ? day : undefined;
}

/** What keeps a log from an answer, with its times as the page writes them. */
export function problemWords(
  { message, hint, column }: ProblemError,
  { from, to, split }: { from: number; to: number; split: number },
  calendar: boolean,
): string {
  const at = (time: number) => when(time, calendar);
  if (column === "from" && from === to)
    return `Everything in this log happened at one moment, ${at(from)}, and a rate needs a stretch of time. Say from when to when it was watched, under “What was watched”.`;
  if (column === "from")
    return `It was watched from ${at(from)} to ${at(to)}, which is no stretch of time. Choose an end after the start, under “What was watched”.`;
  if (column === "trainTo")
    return `The split, ${at(split)}, is not within what was watched, from ${at(from)} to ${at(to)}. Choose a moment between them.`;
  return `${sentence(message)} ${sentence(hint)}`;
}
