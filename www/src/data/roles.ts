/** What a column can mean, in plain words. */
import type { Role, Unit } from "afresh";

export const roleNames: Record<Role, string> = {
  ignore: "Not used",
  id: "Name",
  rate: "Changes per …",
  interval: "Changes every …",
  weight: "Weight",
  cost: "Cost of a visit",
  count: "Stands for so many",
  min: "Least visits per …",
  max: "Most visits per …",
  shape: "Weibull shape",
  alpha: "Gamma shape α",
  beta: "Gamma rate β",
  host: "Host",
  url: "Web address",
  "last-sync": "Last visit",
};

export const unitNames: Record<Unit, string> = {
  seconds: "second",
  minutes: "minute",
  hours: "hour",
  days: "day",
  weeks: "week",
  months: "month",
  years: "year",
};

/** Roles whose numbers mean nothing without a unit of time. */
export const timed: ReadonlySet<Role> = new Set(["rate", "interval", "min", "max", "beta"]);
