/** What a table is made of: its columns as data, and what it asks for when it is sorted, searched or scrolled. */

/** What a table is sorted by. */
export interface Sort<Key extends string> {
  key: Key;
  descending: boolean;
}

/** The rows that a table wants to show. */
export interface Wanted<Key extends string> extends Sort<Key> {
  search: string;
  from: number;
  count: number;
}

/** Some rows, and how many there are in all. */
export interface Page<Row> {
  total: number;
  rows: readonly Row[];
}

interface Look<Row> {
  label: string;
  /** What a cell says; a snippet of the column's key draws it instead. */
  text?: (row: Row) => string;
  /** What a cell says when it is pointed at. */
  title?: (row: Row) => string;
  /** In bold. */
  strong?: (row: Row) => boolean;
  /** Words; numbers stand to the right. */
  words?: boolean;
  /** In pixels; a column without a width shares what is left. */
  width?: number;
  /** On a narrow screen. */
  narrow?: number;
  /** It gives way to the others on screens up to so many pixels wide. */
  room?: 480 | 760 | 1080 | 1400;
}

/** A column; `first` is the way that the first click sorts, and there is none where it cannot. */
export type Column<Row, Key extends string> = Look<Row> &
  ({ key: Key; first: "up" | "down" } | { key: string; first?: undefined });

/** What may be asked about a row: the word on its button, and the whole question. */
export interface Question<Row> {
  word: string;
  says: (row: Row) => string;
}

/** A button that takes the table away. */
export interface Takeaway {
  label: string;
  says: string;
  run: () => unknown;
}

/** What is unknown has a dash for a value. */
export function known(value: number, show: (value: number) => string): string {
  return Number.isNaN(value) ? "–" : show(value);
}
