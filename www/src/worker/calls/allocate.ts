/** The questions of the Allocate lab. */
import {
  Dataset,
  type Knobs,
  type Mapping,
  type PlanFormat,
  type RowsQuery,
  type ScheduleRequest,
  type SimulationRequest,
  type Timetable,
  type TimetableFormat,
} from "afresh";
import type { Context } from "../protocol";
import { Slot } from "./held";
import { drive, run } from "./jobs";
import { tables } from "./tables";

const dataset = new Slot<Dataset>("No data are loaded yet.");
const timetable = new Slot<Timetable>("No timetable has been made yet.");

function use(next: Dataset) {
  dataset.put(next);
  timetable.clear();
  return next.summary();
}

function useGenerated(next: Dataset) {
  tables.allocate.clear();
  return use(next);
}

export const allocateCalls = {
  openExample: ({ name, bytes }: { name: string; bytes: Uint8Array | undefined }) =>
    useGenerated(Dataset.example(name, bytes)),
  openGamma: ({ mean, delta, items }: { mean: number; delta: number; items: number }) =>
    useGenerated(Dataset.gamma(mean, delta, items)),

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
};
