/**
 * The Replay lab's state. `state` is all that the person chose; `write` is the only way to change it, and decides which
 * questions a change raises: rates depend on the whole log, the replay also on the split, the budget and the policies.
 */
import type { Example, KnobValue, LogMapping, Meaning, Plan, PolicyName, ReplayReply } from "afresh";
import type { LogSummary, RateSort } from "../worker/calls/replay";
import { Latest, type AskOptions, type ProblemError } from "../worker/engine";
import type { Reply } from "../worker/protocol";
import { allocate } from "./allocate.svelte";
import { app } from "./app.svelte";
import { DataLab, isProblem, type FileSource } from "./data.svelte";

type BuiltIn = { kind: "example"; name: string };

export const policyNames = [
  "uniform",
  "proportional",
  "optimal",
  "gamma-poisson",
  "weibull",
  "age-optimal",
  "harmonic-optimal",
  "cube-root",
  "greedy",
  "nutch",
  "storm-crawler",
  "miniflux",
  "online",
  "hindsight",
] as const satisfies PolicyName[];

export interface ReplayState {
  source: BuiltIn | FileSource<LogMapping>;
  budget: number;
  /** The window of observation; taken from the log where nothing is given. */
  trainFrom: number | undefined;
  testTo: number | undefined;
  /** The split. */
  trainTo: number;
  mergeWithin: number;
  firstEvent: "change" | "start";
  replanEvery: number | undefined;
  policies: readonly PolicyName[];
  /** The policy whose items are drawn; none is the one that won. */
  shown: PolicyName | undefined;
  /** How the tables of rates and of policies are sorted, and what the first is searched for. */
  rateSort: RateSort;
  rateDescending: boolean;
  search: string;
  policySort: PolicySort;
  policyDescending: boolean;
}

export type PolicySort = "name" | "freshness" | "predictedFreshness" | "difference" | "age" | "predictedAge" | "visits";

/** What is known of the data besides their numbers. */
interface About {
  title: string;
  noun: string;
  nouns: string;
}

const FIRST_EXAMPLE = "packages-history";
/** A drag redraws as fast as it can, but a replay that takes longer than this, in milliseconds, gives way to a newer one. */
const PATIENCE = 250;
const BINS = 208;

const rateKeys = ["trainFrom", "testTo", "mergeWithin", "firstEvent"] as const satisfies (keyof ReplayState)[];
const replayKeys = [...rateKeys, "trainTo", "budget", "replanEvery", "policies"] as const;

function initialState(): ReplayState {
  return {
    source: { kind: "example", name: FIRST_EXAMPLE },
    budget: 1,
    trainFrom: undefined,
    trainTo: 0,
    testTo: undefined,
    mergeWithin: 0,
    firstEvent: "change",
    replanEvery: undefined,
    policies: policyNames,
    shown: undefined,
    rateSort: "rate",
    rateDescending: true,
    search: "",
    policySort: "freshness",
    policyDescending: true,
  };
}

function given<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export type RatesView = Reply<"rates">;

export class ReplayLab extends DataLab<LogMapping, BuiltIn, LogSummary> {
  readonly id = "replay" as const;
  #state = $state.raw(initialState());
  summary = $state.raw<LogSummary | undefined>();
  about = $state.raw<About>({ title: "", noun: "item", nouns: "items" });
  /** Events in each stretch of the window. */
  timeline = $state.raw<{ from: number; to: number; counts: Float64Array } | undefined>();
  rates = $state.raw<RatesView | undefined>();
  replayed = $state.raw<ReplayReply | undefined>();
  /** The names of the items that the replay's clouds show. */
  names = $state.raw<readonly string[]>([]);
  /** How far a replay is that takes longer than a moment. */
  replaying = $state<number | undefined>();
  busy = $state(false);
  /** The person stopped the replay: the page still shows the one before. */
  stopped = $state(false);
  /** What keeps the newest knobs from an answer; the last valid one stays on the page. */
  replayProblem = $state.raw<ProblemError | undefined>();
  ratesProblem = $state.raw<ProblemError | undefined>();
  /** Counts estimates, so that tables know when to ask again. */
  edition = $state(0);

  #abort: AbortController | undefined;
  #started = 0;
  #replay = new Latest<ReplayState>((state) => this.#answerReplay(state));
  #rates = new Latest<ReplayState>((state) => this.#answerRates(state));

  get state(): ReplayState {
    return this.#state;
  }

  get source() {
    return this.#state.source;
  }

  /** The window as it is, whether it was given or taken from the log. */
  get window(): { from: number; to: number } {
    return {
      from: this.#state.trainFrom ?? this.summary?.first ?? 0,
      to: this.#state.testTo ?? this.summary?.last ?? 1,
    };
  }

  /** The policy that was best of those that can be had. */
  get winner(): ReplayReply["policies"][number] | undefined {
    return this.replayed?.policies[this.replayed.best ?? -1];
  }

  /** The policy whose items are drawn, by its place in the reply. */
  get shown(): number {
    const all = this.replayed?.policies ?? [];
    const wanted = all.findIndex(({ name }) => name === this.#state.shown);
    return wanted >= 0 ? wanted : all.findIndex(({ name }) => name === this.winner?.name);
  }

  /** The one gateway. */
  write(patch: Partial<ReplayState>) {
    const before = this.#state;
    const next = (this.#state = { ...before, ...patch });
    const changed = (key: keyof ReplayState) => before[key] !== next[key];
    if (!this.filled) return;
    if (rateKeys.some(changed)) this.#rates.request(next);
    if (replayKeys.some(changed)) this.#ask(next);
    this.sharing.changed();
  }

  // ---------- data ----------

  protected offers({ split }: Example) {
    return split !== undefined;
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
    // A name that is none here is refused by the engine, in its words.
    return app.engine.ask("openLog", { name, bytes: (bytes ?? new Uint8Array()) as Uint8Array<ArrayBuffer> });
  }

  protected guess() {
    return app.engine.ask("logMapping", undefined);
  }

  protected map(mapping: LogMapping, options: AskOptions) {
    return app.engine.ask("mapLog", { mapping }, options);
  }

  protected use() {
    return app.engine.ask("acceptLog", undefined);
  }

  protected mappingOf({ roles, header, decimalComma }: Meaning) {
    return { roles, header, decimalComma } as LogMapping;
  }

  protected get filled() {
    return this.summary !== undefined;
  }

  protected knobs(): Record<string, KnobValue> {
    const { policies, search, ...rest } = this.#state;
    return given({
      ...rest,
      source: undefined,
      policies: policies.length === policyNames.length ? undefined : policies.join(","),
      search: search === "" ? undefined : search,
    }) as Record<string, KnobValue>;
  }

  protected begin(summary: LogSummary, source: ReplayState["source"], knobs?: Plan["knobs"]) {
    const { split, items } = summary;
    const example = source.kind === "example" ? this.#example : undefined;
    const [trainFrom, trainTo, testTo] = example?.split ?? [];
    const suited: ReplayState = {
      ...initialState(),
      source,
      policies: this.#state.policies,
      // Otherwise a visit a week to each.
      budget: example?.budget ?? Number((items / 7).toPrecision(2)),
      trainFrom,
      testTo,
      trainTo: trainTo ?? split,
      firstEvent: example ? "start" : "change",
    };
    this.#state = knobs === undefined ? suited : withKnobs(suited, knobs);
    this.summary = summary;
    this.about = example
      ? { title: example.title, noun: example.noun, nouns: example.nouns }
      : { title: source.name, noun: "item", nouns: "items" };
    // A replay of the log before must not be taken for one of this.
    this.#abort?.abort();
    this.rates = this.replayed = this.timeline = undefined;
    this.ratesProblem = this.replayProblem = undefined;
    this.#rates.request(this.#state);
    this.#ask(this.#state);
  }

  // ---------- answers ----------

  #ask(state: ReplayState) {
    if (performance.now() - this.#started > PATIENCE) this.#abort?.abort();
    this.#replay.request(state);
  }

  async #answerRates({ trainFrom: from, testTo: to, mergeWithin, firstEvent }: ReplayState) {
    try {
      const window = this.window;
      this.rates = await app.engine.ask("rates", { ...given({ from, to }), mergeWithin, firstEvent });
      const counts = await app.engine.ask("timeline", { ...window, bins: BINS });
      this.timeline = { ...window, counts };
      this.ratesProblem = undefined;
      this.edition++;
    } catch (thrown) {
      if (isProblem(thrown)) this.ratesProblem = thrown;
      else await this.recover(thrown);
    }
  }

  async #answerReplay(state: ReplayState) {
    // Visits tell how often an item changes, but not when: there is nothing to replay.
    if (this.summary?.kind === "visits") return;
    const abort = (this.#abort = new AbortController());
    this.#started = performance.now();
    this.stopped = false;
    const { trainFrom, trainTo, testTo, policies, budget, mergeWithin, firstEvent, replanEvery } = state;
    const show = (fraction: number) => {
      if (performance.now() - this.#started > PATIENCE) this.replaying = fraction;
    };
    try {
      this.busy = true;
      const reply = await app.engine.ask(
        "replay",
        {
          ...given({ trainFrom, testTo, replanEvery }),
          trainTo,
          policies: [...policies],
          budget,
          mergeWithin,
          firstEvent,
        },
        { signal: abort.signal, onProgress: show },
      );
      if (abort.signal.aborted) return;
      this.names = await app.engine.ask("logNames", { items: reply.series.items });
      this.replayed = reply;
      this.replayProblem = undefined;
    } catch (thrown) {
      if (abort.signal.aborted) return;
      if (isProblem(thrown)) this.replayProblem = thrown;
      else await this.recover(thrown);
    } finally {
      this.busy = false;
      this.replaying = undefined;
    }
  }

  cancel() {
    this.#abort?.abort();
    this.stopped = true;
  }

  again() {
    this.#replay.request(this.#state);
  }

  protected async resume() {
    // The replay is asked for again by the person: it may be what the engine choked on.
    this.stopped = this.summary?.kind === "events";
    await this.#answerRates(this.#state);
  }

  // ---------- onward ----------

  /** Opens the rates, as uncertain as they are, in the Allocate lab. */
  async useInAllocate() {
    try {
      const all = { key: "row", descending: false, search: "", from: 0, count: Infinity } as const;
      const { name, alpha, beta, weight } = await app.engine.ask("rateRows", all);
      const cells = (column: Float64Array) => Array.from(column, (value) => value.toPrecision(6));
      const table = {
        name: `Rates from ${this.about.title}`,
        rows: name.length,
        header: true,
        columns: [
          { name: "item", role: "id", cells: name },
          { name: "alpha", role: "alpha", cells: cells(alpha) },
          { name: "beta", role: "beta", unit: "days", cells: cells(beta) },
          ...(weight === undefined ? [] : [{ name: "weight", role: "weight", cells: cells(weight) }]),
        ],
      };
      const knobs = { budget: this.#state.budget, model: "gamma-poisson" };
      await allocate.sharing.adopt({ lab: "allocate", data: { table }, knobs });
    } catch (thrown) {
      await this.recover(thrown);
    }
  }
}

/** A plan's knobs laid over the state that suits its data; the engine has checked their kinds. */
function withKnobs(state: ReplayState, knobs: NonNullable<Plan["knobs"]>): ReplayState {
  const named = (name: string) => policyNames.find((policy) => policy === name);
  const or = <T>(name: string, usual: T) => (knobs[name] as T | undefined) ?? usual;
  const policies = String(knobs["policies"] ?? "")
    .split(",")
    .flatMap((name) => named(name) ?? []);
  return {
    ...state,
    budget: or("budget", state.budget),
    trainFrom: knobs["trainFrom"] as number | undefined,
    trainTo: or("trainTo", state.trainTo),
    testTo: knobs["testTo"] as number | undefined,
    mergeWithin: or("mergeWithin", 0),
    firstEvent: or("firstEvent", state.firstEvent),
    replanEvery: knobs["replanEvery"] as number | undefined,
    policies: policies.length > 0 ? policies : policyNames,
    shown: named(String(knobs["shown"] ?? "")),
    rateSort: or("rateSort", state.rateSort),
    rateDescending: or("rateDescending", state.rateDescending),
    search: or("search", state.search),
    policySort: or("policySort", state.policySort),
    policyDescending: or("policyDescending", state.policyDescending),
  };
}

/** The lab, which lasts as long as the page. */
export const replay = new ReplayLab();
