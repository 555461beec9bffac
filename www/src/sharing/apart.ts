/** Which tables of a plan did not travel inside it. */
import type { Plan, PlanTable } from "afresh";

/** Those that are known by the fingerprints of their files alone. */
export function tablesApart({ data, beside = [] }: Plan): PlanTable[] {
  const all = "table" in data ? [data.table, ...beside] : beside;
  return all.filter(({ columns }) => columns.every(({ cells }) => cells === undefined));
}
