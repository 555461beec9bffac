/**
 * Every question that the page can ask, as a table: name → handler(argument, context). This file alone touches the wasm
 * module. A later lab adds its rows here and is typed from end to end at once.
 */
import {
  Dataset,
  Reading,
  examples,
  freshSeed,
  rehearsePanic,
  type Knobs,
  type Mapper,
  type Mapping,
  type PlanFormat,
  type Problem,
  type Progress,
  type RowsQuery,
  type ScheduleRequest,
  type SimulationRequest,
  type Table,
  type Timetable,
  type TimetableFormat,
} from "afresh";
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
// A file on its way in: it replaces the data only once it is valid and the person has agreed to what is dropped.
const table = new Slot<Table>("No file has been read yet.");
const mapper = new Slot<Mapper>("No columns have been mapped yet.");

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

function use(next: Dataset) {
  dataset.put(next);
  timetable.clear();
  return next.summary();
}

export const calls = {
  examples: () => examples(),
  freshSeed: () => freshSeed(),

  openExample: ({ name }: { name: string }) => use(Dataset.example(name)),
  openGamma: ({ mean, delta, items }: { mean: number; delta: number; items: number }) =>
    use(Dataset.gamma(mean, delta, items)),

  /** Reads a file or a pasted text; the data in use stay until `accept`. */
  async read({ name, content }: { name: string; content: Blob | string }, context: Context) {
    const blob = typeof content === "string" ? new Blob([content]) : content;
    const reading = new Reading(name, blob.size);
    let pushed = false;
    try {
      const reader = blob.stream().getReader();
      for (let read = 0; ;) {
        const { value, done } = await reader.read();
        if (done) break;
        reading.push(value);
        read += value.length;
        context.progress((0.4 * read) / blob.size);
        await context.breathe();
      }
      reading.end();
      pushed = true;
    } finally {
      if (!pushed) reading.free();
    }
    const next = table.put(await run(reading, context, 0.4, 1));
    mapper.clear();
    return { understood: next.understood(), mapping: next.mapping() };
  },

  async map({ mapping }: { mapping: Mapping }, context: Context) {
    const next = mapper.put(table.get().mapper(mapping));
    await drive(next, context);
    return next.report();
  },

  accept: ({ dropBad }: { dropBad: boolean }) => use(mapper.take().finish(dropBad)),

  discard() {
    mapper.clear();
    table.clear();
  },

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
