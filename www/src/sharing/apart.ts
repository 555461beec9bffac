/** Which tables of a plan did not travel inside it, and the files that they are read from. */
import type { Plan, PlanTable } from "afresh";

/** Files by their fingerprints. */
export type Files = ReadonlyMap<string, Blob>;
export const noFiles: Files = new Map();
export const withFile = (files: Files, mark: string, file: Blob): Files => new Map([...files, [mark, file]]);

/** Those that are known by the fingerprints of their files alone. */
export function tablesApart({ data, beside = [] }: Plan): PlanTable[] {
  const all = "table" in data ? [data.table, ...beside] : beside;
  return all.filter(({ columns }) => columns.every(({ cells }) => cells === undefined));
}
