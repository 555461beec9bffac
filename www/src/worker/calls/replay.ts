/** The questions of the Replay lab. */
import {
  Replaying,
  diagnose,
  estimateRates,
  timeline,
  type EstimateReply,
  type EstimateRequest,
  type LogColumns,
  type LogMapping,
  type MapReport,
  type Problem,
  type ReplayRequest,
} from "afresh";
import type { Wanted } from "../../table/table";
import type { Context } from "../protocol";
import { run } from "./jobs";
import { tableOf, tables } from "./tables";

/** The log in use, and what was last estimated from it. */
let log: LogColumns | undefined;
let rates: EstimateReply | undefined;

/** What was watched, and what counts as a change of it. */
type RateOptions = Pick<EstimateRequest, "mergeWithin" | "firstEvent" | "from" | "to">;
let asked: RateOptions = {};

/** The log in use as the request of an estimate. */
function estimateRequest(): EstimateRequest {
  const { item, time, changed, lastModified, calendar } = logInUse();
  return changed === undefined
    ? { kind: "events", item, time, calendar, ...asked }
    : { kind: "visits", item, time, changed, ...(lastModified !== undefined && { lastModified }) };
}

function logInUse(): LogColumns {
  if (log === undefined)
    throw { kind: "cancelled", message: "No log is loaded yet.", hint: "Ask again." } satisfies Problem;
  return log;
}

/** What is known of a log once it is loaded. */
export interface LogSummary {
  kind: "events" | "visits";
  items: number;
  entries: number;
  /** The times of the first and the last entry, in days. */
  first: number;
  last: number;
  /** Where to end the learning unless something else is wanted. */
  split: number;
  calendar: boolean;
  notes: string[];
}

function useLog(next: LogColumns): LogSummary {
  log = next;
  rates = undefined;
  const { first, last, split, calendar, notes } = next;
  const kind = next.changed === undefined ? "events" : "visits";
  return { kind, items: next.names.length, entries: next.time.length, first, last, split, calendar, notes };
}

/** The columns of the estimate that its table can be sorted by; `row` is the order of the log. */
export type RateSort =
  "row" | "name" | "rate" | "low" | "high" | "changes" | "exposure" | "posterior" | "poissonP" | "shape";

export type RateQuery = Wanted<RateSort>;

/** The rows in the order asked for; what is unknown comes last either way. */
function sortedRates({ key, descending, search }: RateQuery): number[] {
  const { names } = logInUse();
  const found = estimated();
  const wanted = search.trim().toLowerCase();
  const rows = [...names.keys()].filter((row) => wanted === "" || names[row]?.toLowerCase().includes(wanted));
  const way = descending ? -1 : 1;
  if (key === "name") return rows.sort((a, b) => way * (names[a] ?? "").localeCompare(names[b] ?? ""));
  if (key === "row") return descending ? rows.reverse() : rows;
  const value = (row: number) => found[key][row] ?? NaN;
  return rows.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return left === right ? a - b : way * (left < right ? -1 : 1);
  });
}

function estimated(): EstimateReply {
  if (rates === undefined)
    throw { kind: "cancelled", message: "No rates are estimated yet.", hint: "Ask again." } satisfies Problem;
  return rates;
}

/** Rows of a table of rates. */
function rateRows(rows: readonly number[]) {
  const { names, weight } = logInUse();
  const found = estimated();
  const of = (column: ArrayLike<number>) => Float64Array.from(rows, (row) => column[row] ?? NaN);
  return {
    name: rows.map((row) => names[row] ?? ""),
    row: Uint32Array.from(rows),
    rate: of(found.rate),
    error: of(found.error),
    low: of(found.low),
    high: of(found.high),
    changes: of(found.changes),
    exposure: of(found.exposure),
    posterior: of(found.posterior),
    alpha: of(found.alpha),
    beta: of(found.beta),
    poissonP: of(found.poissonP),
    dispersion: of(found.dispersion),
    shape: of(found.shape),
    drift: of(found.drift),
    driftP: of(found.driftP),
    method: rows.map((row) => found.method[row] ?? ""),
    ...(weight !== undefined && { weight: of(weight) }),
  };
}

/** The most items that a cloud of points shows. */
const CLOUD = 2_000;

export const replayCalls = {
  async openLog({ name, bytes }: { name: string; bytes: Uint8Array<ArrayBuffer> }, context: Context) {
    const read = await tableOf(`${name}.csv.gz`, new Blob([bytes]), context, 0, 0.7);
    try {
      const columns = await run(read.logMapper(read.logMapping()), context, 0.7, 1);
      tables.replay.clear();
      return useLog(columns);
    } finally {
      read.free();
    }
  },
  logMapping: () => tables.replay.newest.logMapping(),
  async mapLog({ mapping }: { mapping: LogMapping }, context: Context): Promise<MapReport> {
    const columns = await run(tables.replay.newest.logMapper(mapping), context);
    tables.replay.mapped.put({ columns, free: () => undefined });
    const { bad, notes } = columns;
    return {
      rows: columns.time.length + bad.rows.length,
      badRows: bad.rows.length,
      badCells: bad.total,
      byColumn: bad.byColumn,
      listed: bad.listed,
      notes,
    };
  },
  acceptLog() {
    const summary = useLog(tables.replay.mapped.take().columns);
    tables.replay.accept();
    return summary;
  },
  timeline: ({ from, to, bins }: { from: number; to: number; bins: number }) =>
    timeline(logInUse().time, from, to, bins),

  /** Rates from the log in use; every row of them stays here, to be asked for by the page. */
  rates(options: RateOptions) {
    asked = options;
    rates = estimateRates(estimateRequest());
    const every = Math.ceil(rates.rate.length / CLOUD) || 1;
    const shown = Array.from({ length: Math.ceil(rates.rate.length / every) }, (_, k) => k * every);
    const { prior, from, to, diagnosis, notes } = rates;
    return { items: rates.rate.length, prior, from, to, diagnosis, notes, cloud: rateRows(shown) };
  },
  rateRows(query: RateQuery) {
    const rows = sortedRates(query);
    return { matching: rows.length, ...rateRows(rows.slice(query.from, query.from + query.count)) };
  },
  /** One item of the log in use: where its rate comes from, and what its changes look like. */
  diagnose: ({ row }: { row: number }) => diagnose(estimateRequest(), row, estimated().prior),
  logNames: ({ items }: { items: Uint32Array }) => Array.from(items, (item) => logInUse().names[item] ?? ""),

  replay(request: Omit<ReplayRequest, "item" | "time" | "weight">, context: Context) {
    const { item, time, weight } = logInUse();
    return run(new Replaying({ item, time, ...(weight !== undefined && { weight }), ...request }), context);
  },
};
