/** The questions of the Probe lab. */
import {
  startContentFreshness,
  Table,
  type CountColumns,
  type Meaning,
  type PlanTable,
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

/** A table that says something of the server: its own counts, those of a sample of it, or a sample itself. */
export type CountKind = "server" | "sample" | "corpus";

/** Such a table: a file, one that came inside a plan, or the file that a plan knows by its fingerprint. */
export interface CountSource {
  file?: NamedFile | undefined;
  table?: PlanTable | undefined;
}

/** The tables that the person added, with what their columns are in a plan. */
let added: { table: Table; meaning: Meaning }[] = [];

function forgetAdded() {
  for (const { table } of added) table.free();
  added = [];
}

/** The tables beside the data, as a plan has them: with at most so many bytes of cells each, or by their fingerprints. */
export function tablesBeside(most: number): PlanTable[] {
  return added.map(({ table, meaning }) => table.toPlan(meaning, false, most));
}

function useRelation(next: Relation) {
  probes.clear();
  forgetAdded();
  return relation.put(next).summary();
}

/** A built-in file, or one of the person. */
export interface NamedFile {
  name: string;
  content: Blob;
}

/** The words of a plan for the columns of counts; the count's own says whose it is. */
const countRole = { server: "count", sample: "sample-count" } as const;

function roles(width: number, columns: CountColumns, kind: "server" | "sample"): string[] {
  const all = Array.from({ length: width }, () => "ignore");
  const { keyword, attribute, second, secondAttribute, count } = columns;
  const named = { keyword, attribute, second, "second-attribute": secondAttribute, [countRole[kind]]: count };
  for (const [role, column] of Object.entries(named)) if (column !== undefined) all[column] = role;
  return all;
}

/** What the columns are, by the words of a plan. */
function kindOf({ columns }: PlanTable): CountKind {
  const has = (role: string) => columns.some((column) => column.role === role);
  return has(countRole.server) ? "server" : has(countRole.sample) ? "sample" : "corpus";
}

function columnsOf({ columns, header = false, decimalComma = false }: PlanTable): CountColumns {
  const at = (...roles: string[]) => columns.findIndex(({ role }) => roles.includes(role));
  const [attribute, second, secondAttribute] = [at("attribute"), at("second"), at("second-attribute")];
  // A column that is missing is refused by the engine, in its words.
  const or = (column: number) => (column < 0 ? columns.length : column);
  return {
    keyword: or(at("keyword")),
    count: or(at(countRole.server, countRole.sample)),
    ...(attribute >= 0 && { attribute }),
    ...(second >= 0 && { second }),
    ...(secondAttribute >= 0 && { secondAttribute }),
    header,
    decimalComma,
  };
}

/** Takes in a table that says something of the server, and what its columns are. */
function take(to: Relation, table: Table, kind: CountKind, known: PlanTable | undefined) {
  const understood = table.understood();
  const names = understood.columns.map((column) => column.name);
  if (kind === "corpus") {
    const { header, decimalComma } = known ?? understood;
    const report = to.setCorpus(table, header ?? false);
    const { attributes } = to.summary();
    const all = names.map((name) => (attributes.includes(name) ? "corpus" : "ignore"));
    const meaning: Meaning = { roles: all, units: [], header: header ?? false, decimalComma: decimalComma ?? false };
    return { meaning, found: { kind, report } };
  }
  const columns = known === undefined ? to.countColumns(table) : columnsOf(known);
  const report = to.addCounts(table, columns, kind === "sample");
  const named = (column: number | undefined) => (column === undefined ? undefined : names[column]);
  const { keyword, second, count, header, decimalComma } = columns;
  const meaning: Meaning = { roles: roles(names.length, columns, kind), units: [], header, decimalComma };
  return { meaning, found: { kind, report, keyword: named(keyword), second: named(second), count: named(count) } };
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
      for (const more of counts) {
        const counted = await tableOf(more.name, more.content, context);
        try {
          take(next, counted, "server", undefined);
        } finally {
          counted.free();
        }
      }
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
  async addCounts({ source, kind }: { source: CountSource; kind?: CountKind }, context: Context) {
    const { file, table: known } = source;
    const table =
      file === undefined ? Table.fromPlan(known as PlanTable) : await tableOf(file.name, file.content, context);
    try {
      const { meaning, found } = take(relation.get(), table, kind ?? kindOf(known as PlanTable), known);
      added.push({ table, meaning });
      return { ...found, name: file?.name ?? known?.name ?? "", summary: relation.get().summary() };
    } catch (thrown) {
      table.free();
      throw thrown;
    }
  },
  clearCounts() {
    relation.get().clearCounts();
    forgetAdded();
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
