/**
 * The Probe lab's state. `state` is all that the person chose; `write` is the only way to change it, and decides which
 * questions a change raises: the queries come first, their pace and what they keep fresh over time follow from them.
 */
import type {
  ContentFreshnessReply,
  Example,
  KnobValue,
  Meaning,
  Plan,
  QuerySort,
  RelationMapping,
  RelationRole,
  RelationSummary,
} from "afresh";
import { exampleBytes } from "../data/examples";
import type { Files } from "../sharing/apart";
import type { CountKind, CountSource, ProbeKnobs, ServerKnobs } from "../worker/calls/probe";
import { Latest, type AskOptions, type ProblemError } from "../worker/engine";
import type { Reply } from "../worker/protocol";
import { app } from "./app.svelte";
import { DataLab, isProblem, type FileSource } from "./data.svelte";

type BuiltIn = { kind: "example"; name: string };

export interface ProbeState {
  source: BuiltIn | FileSource<RelationMapping>;
  method: "all-pages" | "first-page";
  pageSize: number;
  resultCap: number | undefined;
  cost: "requests" | "tuples";
  maxTerms: number;
  topK: number | undefined;
  staleness: "quadratic" | "linear" | "unit";
  stopQueries: number | undefined;
  stopRequests: number | undefined;
  stopCoverage: number | undefined;
  /** How many tuples the server has. */
  serverSize: number | undefined;
  /** The factor of a sample's counts; fitted where it is not given. */
  sampleScale: number | undefined;
  /** Requests a day. */
  budget: number;
  /** The target of a round; without it queries go out as fast as the budget allows. */
  alpha: number | undefined;
  /** How long to simulate, in days; four rounds where nothing is given. */
  horizon: number | undefined;
  seed: number;
  scenario: "table" | "citations";
  /** The day that syncs are counted back from, where there are any. */
  now: number | undefined;
  /** How the table of queries is sorted. */
  sort: QuerySort;
  descending: boolean;
}

/** A table that the person added, which says something of the server, and what was understood of it. */
export interface AddedCounts {
  source: CountSource;
  found: Reply<"addCounts">;
}

const FIRST_EXAMPLE = "probe/packages";
/** A newer question puts an end to one that has taken longer than this, in milliseconds. */
const PATIENCE = 250;
const ROUNDS = 4;

const queryKeys = [
  "method",
  "pageSize",
  "resultCap",
  "cost",
  "maxTerms",
  "topK",
  "staleness",
  "stopQueries",
  "stopRequests",
  "stopCoverage",
  "serverSize",
  "sampleScale",
] as const satisfies (keyof ProbeState)[];
const paceKeys = ["budget", "alpha"] as const satisfies (keyof ProbeState)[];
const runKeys = ["budget", "horizon", "seed", "scenario"] as const satisfies (keyof ProbeState)[];

function initialState(): ProbeState {
  return {
    source: { kind: "example", name: FIRST_EXAMPLE },
    method: "all-pages",
    pageSize: 10,
    resultCap: undefined,
    cost: "requests",
    maxTerms: 2,
    topK: undefined,
    staleness: "quadratic",
    stopQueries: undefined,
    stopRequests: undefined,
    stopCoverage: undefined,
    serverSize: undefined,
    sampleScale: undefined,
    budget: 1,
    alpha: undefined,
    horizon: undefined,
    seed: 1,
    scenario: "table",
    now: undefined,
    sort: "number",
    descending: false,
  };
}

const today = () => Date.now() / 86_400_000;
/** Roles of columns whose meaning depends on the day. */
const dated: ReadonlySet<RelationRole> = new Set<RelationRole>(["last-sync", "since"]);

export class ProbeLab extends DataLab<RelationMapping, BuiltIn, RelationSummary> {
  readonly id = "probe" as const;
  #state = $state.raw(initialState());
  summary = $state.raw<RelationSummary | undefined>();
  about = $state.raw({ title: "", noun: "row", nouns: "rows" });
  counts = $state.raw<readonly AddedCounts[]>([]);
  found = $state.raw<Reply<"probe"> | undefined>();
  pace = $state.raw<Reply<"probePace"> | undefined>();
  overTime = $state.raw<ContentFreshnessReply | undefined>();
  topK = $state.raw<Reply<"probeTopK"> | undefined>();
  choosing = $state<number | undefined>();
  /** The person stopped the choosing: the page still shows the queries before. */
  stopped = $state(false);
  /** What keeps the newest knobs from an answer; the last valid one stays on the page. */
  problem = $state.raw<ProblemError | undefined>();
  /** Counts answers, so that the table knows when to ask again. */
  edition = $state(0);

  #now = today();
  #abort: AbortController | undefined;
  #started = 0;
  #queries = new Latest<ProbeState>((state) => this.#choose(state));
  #paces = new Latest<ProbeState>((state) => this.#answerPace(state));
  #runs = new Latest<ProbeState>((state) => this.#run(state));

  get state(): ProbeState {
    return this.#state;
  }

  get source() {
    return this.#state.source;
  }

  /** How long the run over time is. */
  get horizon(): number {
    const { horizon, budget } = this.#state;
    return horizon ?? Number(((ROUNDS * (this.found?.requests ?? 0)) / budget || 1).toPrecision(2));
  }

  /** The one gateway. */
  write(patch: Partial<ProbeState>) {
    const before = this.#state;
    const next = (this.#state = { ...before, ...patch });
    const changed = (key: keyof ProbeState) => before[key] !== next[key];
    if (!this.filled) return;
    if (queryKeys.some(changed)) this.#ask(next);
    else {
      if (paceKeys.some(changed)) this.#paces.request(next);
      if (runKeys.some(changed)) this.#runs.request(next);
    }
    this.sharing.changed();
  }

  // ---------- data ----------

  protected offers({ search }: Example) {
    return search !== undefined;
  }

  protected first(): BuiltIn {
    this.#state = initialState();
    return { kind: "example", name: FIRST_EXAMPLE };
  }

  protected builtIn(name: string): BuiltIn {
    return { kind: "example", name };
  }

  #example: Example | undefined;

  protected async load({ name }: BuiltIn, bytes: Uint8Array | undefined) {
    const examples = await app.engine.ask("examples", undefined);
    this.#example = examples.find((example) => example.name === name && this.offers(example));
    const packed = (file: string, content: Uint8Array | undefined) => ({
      name: file,
      content: new Blob([(content ?? new Uint8Array()) as Uint8Array<ArrayBuffer>]),
    });
    const counts = await Promise.all(
      (this.#example?.search?.counts ?? []).map(async (file) => packed(`${file}.csv.gz`, await exampleBytes(file))),
    );
    // A name that is none here is refused by the engine, in its words.
    return app.engine.ask("openRelation", { file: packed(this.#example?.file ?? name, bytes), counts });
  }

  protected guess() {
    this.#now = today();
    return app.engine.ask("relationMapping", undefined);
  }

  protected map(mapping: RelationMapping, options: AskOptions) {
    return app.engine.ask("mapRelation", { mapping }, options);
  }

  protected use(dropBad: boolean) {
    return app.engine.ask("acceptRelation", { dropBad, now: this.#now });
  }

  protected mappingOf(meaning: Meaning) {
    return meaning as RelationMapping;
  }

  override async restore(plan: Plan, files: Files) {
    this.#now = (plan.knobs?.["now"] as number | undefined) ?? today();
    await super.restore(plan, files);
    for (const table of plan.beside ?? []) {
      const content = files.get(table.fingerprint ?? "");
      await this.#add({ table, file: content && { name: table.name, content } });
    }
  }

  override sketch() {
    const sketch = super.sketch();
    return sketch && { ...sketch, beside: this.counts.length };
  }

  protected get filled() {
    return this.summary !== undefined;
  }

  protected knobs(): Record<string, KnobValue> {
    const chosen = Object.entries(this.#state).filter(([key, value]) => key !== "source" && value !== undefined);
    return Object.fromEntries(chosen) as Record<string, KnobValue>;
  }

  protected begin(summary: RelationSummary, source: ProbeState["source"], knobs: Plan["knobs"] = {}) {
    const example = source.kind === "example" ? this.#example : undefined;
    this.#state = {
      ...initialState(),
      serverSize: example?.search?.size,
      // Otherwise each row by its name once a month.
      budget: example?.budget ?? Number((summary.rows / 30).toPrecision(2)),
      // The engine has checked names and kinds of a plan's knobs.
      ...(knobs as Partial<ProbeState>),
      source,
      now: source.kind === "file" && source.mapping.roles.some((role) => dated.has(role)) ? this.#now : undefined,
    };
    this.summary = summary;
    this.counts = [];
    this.about = example
      ? { title: example.title, noun: example.noun, nouns: example.nouns }
      : { title: source.name, noun: "row", nouns: "rows" };
    this.found = undefined;
    this.pace = undefined;
    this.overTime = undefined;
    this.#ask(this.#state);
  }

  // ---------- what the server says ----------

  /** Adds the server's own counts, those of a sample of it, or a sample. */
  async addCounts(source: CountSource, kind: CountKind) {
    try {
      await this.#add(source, kind);
      app.dismiss();
      this.sharing.changed();
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  async #add(source: CountSource, kind?: CountKind) {
    const found = await app.during(`Reading ${source.file?.name ?? source.table?.name}`, (options) =>
      app.engine.ask("addCounts", { source, ...(kind && { kind }) }, options),
    );
    this.counts = [...this.counts, { source, found }];
    this.summary = found.summary;
    this.#ask(this.#state);
  }

  async clearCounts() {
    try {
      this.summary = await app.engine.ask("clearCounts", undefined);
      this.counts = [];
      this.#ask(this.#state);
      this.sharing.changed();
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  // ---------- answers ----------

  #request(state: ProbeState): { knobs: ProbeKnobs; server: ServerKnobs } {
    const { method, resultCap, topK, stopQueries, stopRequests, stopCoverage, serverSize, sampleScale } = state;
    const { pageSize, cost, maxTerms, staleness } = state;
    const stop = {
      ...(stopQueries !== undefined && { queries: stopQueries }),
      ...(stopRequests !== undefined && { requests: stopRequests }),
      ...(stopCoverage !== undefined && { coverage: stopCoverage }),
    };
    return {
      knobs: {
        method: method === "all-pages" ? 1 : 2,
        pageSize,
        cost,
        maxTerms,
        staleness,
        stop,
        ...(resultCap !== undefined && { resultCap }),
        ...(topK !== undefined && { topK }),
      },
      server: { size: serverSize, scale: sampleScale },
    };
  }

  #ask(state: ProbeState) {
    this.topK = undefined;
    if (performance.now() - this.#started > PATIENCE) this.#abort?.abort();
    this.#queries.request(state);
  }

  async #choose(state: ProbeState) {
    const abort = (this.#abort = new AbortController());
    this.#started = performance.now();
    this.stopped = false;
    try {
      this.choosing = 0;
      const found = await app.engine.ask("probe", this.#request(state), {
        signal: abort.signal,
        onProgress: (fraction) => (this.choosing = fraction),
      });
      if (abort.signal.aborted) return;
      this.found = found;
      this.problem = undefined;
      await this.#answerPace(this.#state);
      this.edition++;
      this.#runs.request(this.#state);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      if (isProblem(thrown)) this.problem = thrown;
      else await this.recover(thrown);
    } finally {
      if (this.#abort === abort) this.choosing = undefined;
    }
  }

  async #answerPace({ alpha, budget }: ProbeState) {
    // Without a query there is nothing to send.
    if (!this.found?.queries) {
      this.pace = undefined;
      return;
    }
    try {
      this.pace = await app.engine.ask("probePace", { alpha, budget });
      this.problem = undefined;
    } catch (thrown) {
      if (isProblem(thrown)) this.problem = thrown;
      else await this.recover(thrown);
    }
  }

  async #run({ budget, seed, scenario }: ProbeState) {
    const synthetic = scenario === "citations";
    if (!synthetic && !this.found?.queries) {
      this.overTime = undefined;
      return;
    }
    try {
      this.overTime = await app.engine.ask("probeOverTime", { budget, horizon: this.horizon, seed, synthetic });
    } catch (thrown) {
      if (isProblem(thrown)) {
        this.overTime = undefined;
        this.problem = thrown;
      } else await this.recover(thrown);
    }
  }

  cancel() {
    this.#abort?.abort();
    this.stopped = true;
    this.choosing = undefined;
  }

  again() {
    this.#queries.request(this.#state);
  }

  /** Tries several numbers of most frequent keywords, with one attribute at a time. */
  async compareTopK() {
    try {
      this.topK = await app.during("Choosing queries for every number of keywords", (options) =>
        app.engine.ask("probeTopK", this.#request(this.#state), options),
      );
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  protected async resume(summary: RelationSummary) {
    this.summary = summary;
    for (const { source, found } of this.counts) {
      const { summary } = await app.engine.ask("addCounts", { source, kind: found.kind });
      this.summary = summary;
    }
    // The choosing is asked for again by the person: it may be what the engine choked on.
    this.stopped = true;
  }
}

/** The lab, which lasts as long as the page. */
export const probe = new ProbeLab();
