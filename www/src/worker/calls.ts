/**
 * Every question that the page can ask, as a table: name → handler(argument, context). This file alone touches the wasm
 * module. A later lab adds its rows here and is typed from end to end at once.
 */
import {
  Dataset,
  Reading,
  Replaying,
  Table,
  checkPlan,
  decodePlan,
  encodePlan,
  estimateRates,
  examples,
  freshSeed,
  rehearsePanic,
  startContentFreshness,
  timeline,
  type EstimateReply,
  type Knobs,
  type LogColumns,
  type LogMapping,
  type MapReport,
  type Mapper,
  type Mapping,
  type Meaning,
  type Plan,
  type PlanFormat,
  type PlanTable,
  type Probes,
  type ProbesRequest,
  type Problem,
  type Progress,
  type QueriesFormat,
  type Relation,
  type RelationJob,
  type RelationMapping,
  type ReplayRequest,
  type RowsQuery,
  type ScheduleRequest,
  type SimulationRequest,
  type Timetable,
  type TimetableFormat,
} from "afresh";
import type { LabId } from "../sharing/address";
import type { Context } from "./protocol";

/** A long piece of work inside wasm. */
interface Job<T> {
  step(): Progress;
  finish(): T;
  free(): void;
}

interface Freeable {
  free(): void;
}

/** A place for one wasm object; putting a new one in frees the old one. */
class Slot<T extends Freeable> {
  #held: T | undefined;

  constructor(private readonly absent: string) {}

  put(next: T): T {
    this.#held?.free();
    this.#held = next;
    return next;
  }

  get filled(): boolean {
    return this.#held !== undefined;
  }

  clear() {
    this.#held?.free();
    this.#held = undefined;
  }

  get(): T {
    // Happens when a question was under way while a panicked worker was replaced: it is moot, not a bug.
    if (this.#held === undefined)
      throw { kind: "cancelled", message: this.absent, hint: "Ask again." } satisfies Problem;
    return this.#held;
  }

  /** Takes the object out without freeing it: `finish` consumes what it is called on. */
  take(): T {
    const held = this.get();
    this.#held = undefined;
    return held;
  }
}

const dataset = new Slot<Dataset>("No data are loaded yet.");
const timetable = new Slot<Timetable>("No timetable has been made yet.");
/**
 * The tables of a lab: the one that its data in use were made from, and one on its way in, which replaces it only once it is
 * valid and the person has agreed to what is dropped.
 */
class Tables<Mapped extends Freeable> {
  readonly used = new Slot<Table>("No file has been read yet.");
  readonly #incoming = new Slot<Table>("No file has been read yet.");
  /** The newest table with its columns mapped, to be taken or not. */
  readonly mapped = new Slot<Mapped>("No columns have been mapped yet.");

  bring(next: Table): Table {
    this.mapped.clear();
    return this.#incoming.put(next);
  }

  /** Without a new file it is the one in use whose columns are looked at again. */
  get newest(): Table {
    return (this.#incoming.filled ? this.#incoming : this.used).get();
  }

  accept() {
    if (this.#incoming.filled) this.used.put(this.#incoming.take());
  }

  discard() {
    this.mapped.clear();
    this.#incoming.clear();
  }

  /** The data in use come from no table. */
  clear() {
    this.discard();
    this.used.clear();
  }
}

/** A log as columns, which live outside the wasm. */
interface MappedLog extends Freeable {
  columns: LogColumns;
}

const tables = {
  allocate: new Tables<Mapper>(),
  replay: new Tables<MappedLog>(),
  probe: new Tables<RelationJob>(),
} satisfies Record<LabId, Tables<Freeable>>;

/** How long a job may keep the worker before messages are let in, in milliseconds. */
const SLICE = 12;

async function drive(job: { step(): Progress }, context: Context, from = 0, to = 1): Promise<void> {
  for (let until = performance.now() + SLICE; ;) {
    const { fraction, done } = job.step();
    if (done) return;
    if (performance.now() < until) continue;
    context.progress(from + (to - from) * fraction);
    await context.breathe();
    until = performance.now() + SLICE;
  }
}

async function run<T>(job: Job<T>, context: Context, from = 0, to = 1): Promise<T> {
  let finished = false;
  try {
    await drive(job, context, from, to);
    finished = true;
    return job.finish();
  } finally {
    if (!finished) job.free();
  }
}

/** A file as a table of cells. */
async function tableOf(name: string, content: Blob, context: Context, from = 0, to = 1): Promise<Table> {
  const reading = new Reading(name, content.size);
  const pushing = from + 0.4 * (to - from);
  let pushed = false;
  try {
    const reader = content.stream().getReader();
    for (let read = 0; ;) {
      const { value, done } = await reader.read();
      if (done) break;
      reading.push(value);
      read += value.length;
      context.progress(from + ((pushing - from) * read) / content.size);
      await context.breathe();
    }
    reading.end();
    pushed = true;
  } finally {
    if (!pushed) reading.free();
  }
  return run(reading, context, pushing, to);
}

function use(next: Dataset) {
  dataset.put(next);
  timetable.clear();
  return next.summary();
}

function useGenerated(next: Dataset) {
  tables.allocate.clear();
  return use(next);
}

// ---------- the Replay lab ----------

/** The log in use, and what was last estimated from it. */
let log: LogColumns | undefined;
let rates: EstimateReply | undefined;

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
  calendar: boolean;
  notes: string[];
}

function useLog(next: LogColumns): LogSummary {
  log = next;
  rates = undefined;
  let first = Infinity;
  let last = -Infinity;
  for (const time of next.time) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  const { calendar, notes } = next;
  const kind = next.changed === undefined ? "events" : "visits";
  return { kind, items: next.names.length, entries: next.time.length, first, last, calendar, notes };
}

/** The columns of the estimate that its table can be sorted by; `row` is the order of the log. */
export type RateSort =
  "row" | "name" | "rate" | "low" | "high" | "changes" | "exposure" | "posterior" | "poissonP" | "shape";

export interface RateQuery {
  sort: RateSort;
  descending: boolean;
  search: string;
  from: number;
  count: number;
}

/** The rows in the order asked for; what is unknown comes last either way. */
function sortedRates({ sort, descending, search }: RateQuery): number[] {
  const { names } = logInUse();
  const found = estimated();
  const wanted = search.trim().toLowerCase();
  const rows = [...names.keys()].filter((row) => wanted === "" || names[row]?.toLowerCase().includes(wanted));
  const way = descending ? -1 : 1;
  if (sort === "name") return rows.sort((a, b) => way * (names[a] ?? "").localeCompare(names[b] ?? ""));
  if (sort === "row") return descending ? rows.reverse() : rows;
  const value = (row: number) => found[sort][row] ?? NaN;
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
    low: of(found.low),
    high: of(found.high),
    changes: of(found.changes),
    exposure: of(found.exposure),
    posterior: of(found.posterior),
    alpha: of(found.alpha),
    beta: of(found.beta),
    poissonP: of(found.poissonP),
    shape: of(found.shape),
    ...(weight !== undefined && { weight: of(weight) }),
  };
}

/** The most items that a cloud of points shows. */
const CLOUD = 2_000;

// ---------- the Probe lab ----------

const relation = new Slot<Relation>("No table is loaded yet.");
const probes = new Slot<Probes>("No queries are chosen yet.");

/** What the queries are chosen by. */
export type ProbeKnobs = Omit<ProbesRequest, "rows" | "weight" | "rate" | "elapsed" | "server">;

/** What is known of the server besides its counts. */
export interface ServerKnobs {
  size: number | undefined;
  scale: number | undefined;
}

function useRelation(next: Relation) {
  probes.clear();
  return relation.put(next).summary();
}

/** A built-in file, or one of the person. */
export interface NamedFile {
  name: string;
  content: Blob;
}

/** Adds a file of counts, or a table that is a sample of the server, to what is known of it. */
async function addCounts(to: Relation, { name, content }: NamedFile, ofSample: boolean, context: Context) {
  const table = await tableOf(name, content, context);
  try {
    const columns = to.countColumns(table);
    const names = table.understood().columns.map((column) => column.name);
    const report = to.addCounts(table, columns, ofSample);
    const named = (column: number | undefined) => (column === undefined ? undefined : names[column]);
    const { keyword, second, count } = columns;
    return { report, keyword: named(keyword), second: named(second), count: named(count) };
  } finally {
    table.free();
  }
}

/** The numbers of most frequent keywords that are compared. */
const TOP_K = [1, 2, 5, 10, 20, 50, 100];

/** A plan as the page has it: what its data are made from lies here, in the worker. */
export interface PlanSketch {
  lab: LabId;
  knobs: Plan["knobs"];
  data: { example: string } | { mapping: Meaning; dropBad: boolean };
}

/** The bytes of cells that are tried in a link, and those that are put into a saved plan. */
const CELLS_IN_LINK = 1 << 17;
const CELLS_IN_FILE = 1 << 24;

function complete({ lab, knobs, data }: PlanSketch, most: number): Plan {
  return {
    lab,
    data: "example" in data ? data : { table: tables[lab].used.get().toPlan(data.mapping, data.dropBad, most) },
    ...(knobs !== undefined && { knobs }),
  };
}

/** Plans as files: the same document, laid out for a reader, each column's cells on one line. */
const FILE_FORMAT = 1;

function written({ lab, data, knobs }: Plan): string {
  const lists: string[] = [];
  const text = JSON.stringify(
    { afresh: FILE_FORMAT, lab, knobs, data },
    (key, value: unknown) => (key === "cells" ? `@${lists.push(JSON.stringify(value)) - 1}@` : value),
    2,
  );
  return `${text.replace(/"cells": "@(\d+)@"/g, (_, at: string) => `"cells": ${lists[Number(at)]}`)}\n`;
}

function readFile(text: string): Plan {
  let file: { afresh?: unknown } & Plan;
  try {
    file = JSON.parse(text) as typeof file;
  } catch (cause) {
    throw {
      kind: "format",
      message: `the plan is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: "Open a file that was saved as a plan, unchanged or carefully edited.",
    } satisfies Problem;
  }
  const { afresh, ...plan } = file ?? {};
  if (typeof afresh !== "number")
    throw {
      kind: "format",
      message: 'the file is no plan of Afresh: it does not say `"afresh": 1`',
      hint: "Open a file that was saved as a plan; a table of items goes into the data panel.",
    } satisfies Problem;
  if (afresh > FILE_FORMAT)
    throw {
      kind: "version",
      message: `the plan was saved by a newer Afresh: it is of format ${afresh}, and this version reads up to ${FILE_FORMAT}`,
      hint: "Reload the page to get the newest version, then open the plan again.",
    } satisfies Problem;
  return checkPlan(plan);
}

export const calls = {
  examples: () => examples(),
  freshSeed: () => freshSeed(),

  openExample: ({ name, bytes }: { name: string; bytes: Uint8Array | undefined }) =>
    useGenerated(Dataset.example(name, bytes)),
  openGamma: ({ mean, delta, items }: { mean: number; delta: number; items: number }) =>
    useGenerated(Dataset.gamma(mean, delta, items)),

  /** Reads a file or a pasted text; the data in use stay until `accept`. */
  async read({ lab, name, content }: { lab: LabId; name: string; content: Blob | string }, context: Context) {
    const blob = typeof content === "string" ? new Blob([content]) : content;
    const next = tables[lab].bring(await tableOf(name, blob, context));
    return { understood: next.understood(), fingerprint: next.fingerprint };
  },

  /** The same for a table that came inside a plan. */
  unfold: ({ lab, table }: { lab: LabId; table: PlanTable }) => ({
    understood: tables[lab].bring(Table.fromPlan(table)).understood(),
  }),
  discard: ({ lab }: { lab: LabId }) => tables[lab].discard(),

  mapping: () => tables.allocate.newest.mapping(),
  async map({ mapping }: { mapping: Mapping }, context: Context) {
    const next = tables.allocate.mapped.put(tables.allocate.newest.mapper(mapping));
    await drive(next, context);
    return next.report();
  },
  accept({ dropBad }: { dropBad: boolean }) {
    const summary = use(tables.allocate.mapped.take().finish(dropBad));
    tables.allocate.accept();
    return summary;
  },

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
  rates(options: Pick<ReplayRequest, "mergeWithin" | "firstEvent"> & { from?: number; to?: number }) {
    const { item, time, changed, lastModified } = logInUse();
    rates = estimateRates(
      changed === undefined
        ? { kind: "events", item, time, ...options }
        : { kind: "visits", item, time, changed, ...(lastModified !== undefined && { lastModified }) },
    );
    const every = Math.ceil(rates.rate.length / CLOUD) || 1;
    const shown = Array.from({ length: Math.ceil(rates.rate.length / every) }, (_, k) => k * every);
    const { prior, from, to, diagnosis, notes } = rates;
    return { items: rates.rate.length, prior, from, to, diagnosis, notes, cloud: rateRows(shown) };
  },
  rateRows(query: RateQuery) {
    const rows = sortedRates(query);
    return { matching: rows.length, ...rateRows(rows.slice(query.from, query.from + query.count)) };
  },
  logNames: ({ items }: { items: Uint32Array }) => Array.from(items, (item) => logInUse().names[item] ?? ""),

  replay(request: Omit<ReplayRequest, "item" | "time" | "weight">, context: Context) {
    const { item, time, weight } = logInUse();
    return run(new Replaying({ item, time, ...(weight !== undefined && { weight }), ...request }), context);
  },

  async openRelation({ file, counts }: { file: NamedFile; counts: NamedFile[] }, context: Context) {
    const table = await tableOf(file.name, file.content, context);
    try {
      const job = table.relation(table.relationMapping());
      await drive(job, context);
      const next = job.finish(false, 0);
      for (const more of counts) await addCounts(next, more, false, context);
      tables.probe.clear();
      return useRelation(next);
    } finally {
      table.free();
    }
  },
  relationMapping: () => tables.probe.newest.relationMapping(),
  async mapRelation({ mapping }: { mapping: RelationMapping }, context: Context) {
    const next = tables.probe.mapped.put(tables.probe.newest.relation(mapping));
    await drive(next, context);
    return next.report();
  },
  acceptRelation({ dropBad, now }: { dropBad: boolean; now: number }) {
    const summary = useRelation(tables.probe.mapped.take().finish(dropBad, now));
    tables.probe.accept();
    return summary;
  },
  async addCounts({ file, ofSample }: { file: NamedFile; ofSample: boolean }, context: Context) {
    const found = await addCounts(relation.get(), file, ofSample, context);
    return { ...found, summary: relation.get().summary() };
  },
  clearCounts() {
    relation.get().clearCounts();
    return relation.get().summary();
  },

  async probe({ knobs, server }: { knobs: ProbeKnobs; server: ServerKnobs }, context: Context) {
    relation.get().setServer(server.size, server.scale);
    const view = probes.put(await run(relation.get().probe(knobs, undefined), context)).view();
    return { ...view, unreachableNames: relation.get().ids(view.unreachable.slice(0, 200)) };
  },
  /** How fast the queries go out: for a target α, or as fast as the requests allow. */
  probePace({ alpha, budget }: { alpha: number | undefined; budget: number }) {
    const found = probes.get();
    const interval = alpha === undefined ? 1 / budget : found.pace(alpha);
    const { alike, cubeRoot } = found.order(1 / budget);
    const { value, growth } = found.order(Number.isFinite(interval) ? interval : 1);
    return { interval, value, growth, alike, cubeRoot };
  },
  /** Some queries, with their place in a round and aᵢ at this interval. */
  probePage({ from, count, budget, interval }: { from: number; count: number; budget: number; interval: number }) {
    const { queries, frequency } = probes.get().page(from, count, budget);
    const { order, a } = probes.get().order(Number.isFinite(interval) ? interval : 1);
    const places = new Map(Array.from(order, (query, place) => [query, place]));
    return queries.map((query, index) => {
      const place = places.get(from + index);
      return {
        ...query,
        number: from + index,
        frequency: frequency[index] ?? NaN,
        place: place ?? NaN,
        a: place === undefined ? NaN : (a[place] ?? NaN),
      };
    });
  },
  /** The names of the rows that a query is the first to refresh; of many, the first. */
  probeRows: ({ query }: { query: number }) => relation.get().ids(probes.get().rowsOf(query).slice(0, 500)),
  probesText: ({ format }: { format: QueriesFormat }) => probes.get().text(format),
  probeOverTime(
    { budget, horizon, seed, synthetic }: { budget: number; horizon: number; seed: number; synthetic: boolean },
    context: Context,
  ) {
    return run(
      synthetic ? startContentFreshness({ seed }) : probes.get().overTime(budget, horizon, 201, seed),
      context,
    );
  },
  /** Coverage and requests per row against the number of most frequent keywords, by attribute and for all of them. */
  async probeTopK({ knobs, server }: { knobs: ProbeKnobs; server: ServerKnobs }, context: Context) {
    relation.get().setServer(server.size, server.scale);
    const { attributes } = relation.get().summary();
    const lines = [...attributes.keys(), ...(attributes.length > 1 ? [undefined] : [])];
    const total = lines.length * TOP_K.length;
    const found = [];
    for (const [line, attribute] of lines.entries()) {
      const coverage: number[] = [];
      const requestsPerRow: number[] = [];
      for (const [at, topK] of TOP_K.entries()) {
        const done = line * TOP_K.length + at;
        const job = relation.get().probe({ ...knobs, topK }, attribute);
        const one = await run(job, context, done / total, (done + 1) / total);
        const view = one.view();
        one.free();
        coverage.push(view.coverage);
        requestsPerRow.push(view.requestsPerRow);
      }
      found.push({
        name: attribute === undefined ? "all together" : (attributes[attribute] ?? ""),
        coverage,
        requestsPerRow,
      });
    }
    return { topK: TOP_K, lines: found };
  },

  /** The text of the plan's link, and whether its data travel inside it. */
  link(sketch: PlanSketch) {
    const plan = complete(sketch, CELLS_IN_LINK);
    const whole = "example" in plan.data || plan.data.table.columns.some(({ cells }) => cells !== undefined);
    try {
      return { text: encodePlan(plan), whole };
    } catch (thrown) {
      if ((thrown as Partial<Problem>).kind !== "size" || "example" in sketch.data) throw thrown;
      return { text: encodePlan(complete(sketch, 0)), whole: false };
    }
  },
  /** The link of a plan as it stands. */
  relink: (plan: Plan) => encodePlan(plan),
  openLink: ({ text }: { text: string }) => decodePlan(text),
  planFile: (sketch: PlanSketch) => written(complete(sketch, CELLS_IN_FILE)),
  openPlanFile: ({ text }: { text: string }) => readFile(text),

  plan: (knobs: Knobs) => dataset.get().plan(knobs),
  tradeoff: () => dataset.get().tradeoff(),
  rows: (query: RowsQuery) => dataset.get().rows(query),
  why: ({ row }: { row: number }) => dataset.get().why(row),
  item: ({ row, horizon }: { row: number; horizon: number }) => dataset.get().item(row, horizon),
  itemsText: ({ format }: { format: PlanFormat }) => dataset.get().text(format),

  simulate: (request: SimulationRequest, context: Context) => run(dataset.get().simulate(request), context),

  async schedule(request: ScheduleRequest, context: Context) {
    const made = await run(dataset.get().schedule(request), context);
    return timetable.put(made).summary();
  },
  visits: ({ from, count }: { from: number; count: number }) => timetable.get().page(from, count),
  nextVisits: ({ rows }: { rows: Uint32Array }) => timetable.get().nextVisit(rows),
  timetableText: ({ format, offset }: { format: TimetableFormat; offset: number }) =>
    timetable.get().text(format, offset),

  rehearsePanic: ({ text }: { text: string }) => rehearsePanic(text),
};
