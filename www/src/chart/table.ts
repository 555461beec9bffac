/** The numbers behind a chart, as a table: for reading, for CSV, for Markdown. */
import { markdownTable } from "../format/markdown";

export interface Column {
  name: string;
  /** `days`, `visits a day`, … ; absent for names and shares. */
  unit?: string;
  values: ArrayLike<number> | readonly string[];
  /** How the table view writes a value; CSV keeps every digit. */
  show?: (value: number) => string;
}

export function heading({ name, unit }: Column): string {
  return unit === undefined ? name : `${name} (${unit})`;
}

export function cell(column: Column, row: number): string {
  const value = column.values[row];
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return column.show === undefined ? String(value) : column.show(value);
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(columns: readonly Column[]): string {
  const rows = Math.max(0, ...columns.map((column) => column.values.length));
  const lines = [columns.map((column) => quoted(heading(column))).join(",")];
  for (let row = 0; row < rows; row++)
    lines.push(columns.map(({ values }) => quoted(String(values[row] ?? ""))).join(","));
  return `${lines.join("\n")}\n`;
}

/** As the table view shows it. */
export function markdown(columns: readonly Column[]): string {
  const rows = Math.max(0, ...columns.map((column) => column.values.length));
  return markdownTable(
    columns.map((column) => ({ name: heading(column), right: typeof column.values[0] !== "string" })),
    Array.from({ length: rows }, (_, row) => columns.map((column) => cell(column, row))),
  );
}
