/** The questions of the Probe lab. */
import {
  startContentFreshness,
  type Probes,
  type ProbesRequest,
  type QueriesFormat,
  type QueriesQuery,
  type Relation,
  type RelationMapping,
} from "afresh";
import type { Context } from "../protocol";
import { Slot } from "./held";
import { drive, run } from "./jobs";
import { tableOf, tables } from "./tables";

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

export const probeCalls = {
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
  /** Some queries, sorted, with when and how often to send each. */
  probePage({ interval, ...wanted }: QueriesQuery) {
    const page = probes.get().page({ ...wanted, interval: Number.isFinite(interval) ? interval : 1 });
    const of = (column: ArrayLike<number>, at: number) => column[at] ?? NaN;
    return page.queries.map((query, at) => ({
      ...query,
      number: of(page.number, at),
      frequency: of(page.frequency, at),
      place: of(page.place, at),
      a: of(page.a, at),
    }));
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
};
