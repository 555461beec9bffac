/**
 * The Allocate lab's state. `state` is all that the person chose, serialisable as it stands; `write` is the only way to
 * change it, and decides which questions a change raises. Replies are kept as they came; whatever can be computed from
 * them is computed where it is shown.
 */
import type {
  AllocateView,
  DatasetSummary,
  Example,
  ItemView,
  Mapping,
  Meaning,
  Metric,
  Plan,
  Policy,
  SimulationView,
  TimetableSummary,
  TradeoffView,
  Why,
} from "afresh";
import { Latest, type AskOptions, type ProblemError } from "../worker/engine";
import { app } from "./app.svelte";
import {
  FIRST_EXAMPLE,
  initialState,
  knobsOf,
  planKeys,
  planKnobs,
  sourceOf,
  withKnobs,
  type AllocateState,
  type Source,
} from "./choices";
import { DataLab, isProblem } from "./data.svelte";

/** Beyond these the simulation and the timetable wait for a click instead of following every knob. */
const SIMULATE_AT_ONCE = 50_000;
const VISITS_AT_ONCE = 400_000;
const SIMULATED_POINTS = 90;
/** Spans, in days, over which one item is drawn: the first that shows a few visits. */
const SPANS = [1 / 24, 0.25, 1, 3, 7, 14, 30, 90, 365, 1095, 3650, 36_500] as const;
const STILL_SPAN = 30;
const LARGEST_SHARE = { sort: "share", descending: true, search: "", from: 0, count: 1 } as const;
/** From this many visits a day on a timetable has a slot for every hour, below one for every day. */
const HOURLY_FROM = 48;

type BuiltIn = Exclude<Source, { kind: "file" }>;

export class AllocateLab extends DataLab<Mapping, BuiltIn, DatasetSummary> {
  readonly id = "allocate" as const;
  #state = $state.raw(initialState());
  summary = $state.raw<DatasetSummary | undefined>();
  view = $state.raw<AllocateView | undefined>();
  tradeoff = $state.raw<TradeoffView | undefined>();
  /** The metric that `view` answers: it differs from the state's while a new plan is being made. */
  shown = $state.raw<{ metric: Metric; policy: Policy; asks: "budget" | "target" }>({
    metric: "freshness",
    policy: "optimal",
    asks: "budget",
  });
  item = $state.raw<ItemView | undefined>();
  itemWhy = $state.raw<Why | undefined>();
  simulation = $state.raw<SimulationView | undefined>();
  simulating = $state<number | undefined>();
  timetable = $state.raw<TimetableSummary | undefined>();
  scheduling = $state<number | undefined>();
  /** Why there is none, when the plan or the wishes are beyond what can be laid out or simulated. */
  simulationProblem = $state.raw<ProblemError | undefined>();
  timetableProblem = $state.raw<ProblemError | undefined>();
  /** What keeps the newest knobs from being a plan; the last valid one stays on the page. */
  planProblem = $state.raw<ProblemError | undefined>();
  /** Counts plans and timetables, so that tables know when to ask again. */
  edition = $state(0);

  /** A set that has been loaded and is being planned for. */
  #incoming: DatasetSummary | undefined;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #simulationAbort: AbortController | undefined;
  #scheduleAbort: AbortController | undefined;

  #plan = new Latest<AllocateState>((state) => this.#answerPlan(state));
  #item = new Latest<AllocateState>((state) => this.#answerItem(state));

  get state(): AllocateState {
    return this.#state;
  }

  get source(): Source {
    return this.#state.source;
  }

  /** The one gateway. */
  write(patch: Partial<AllocateState>) {
    const before = this.#state;
    const next = (this.#state = { ...before, ...patch });
    const changed = (key: keyof AllocateState) => before[key] !== next[key];
    if (!this.filled) return;
    if (planKeys.some(changed)) this.#plan.request(next);
    else if (changed("item")) this.#item.request(next);
    if (changed("simulation")) void this.simulate();
    if (changed("timetable")) void this.schedule();
    this.sharing.changed();
  }

  // ---------- data ----------

  protected offers({ split, search }: Example) {
    return split === undefined && search === undefined;
  }

  protected first(): BuiltIn {
    this.#state = initialState();
    return { kind: "example", name: FIRST_EXAMPLE };
  }

  protected builtIn(name: string, knobs: NonNullable<Plan["knobs"]>): BuiltIn {
    return sourceOf(name, knobs);
  }

  protected load(source: BuiltIn, bytes: Uint8Array | undefined) {
    return source.kind === "gamma"
      ? app.engine.ask("openGamma", { mean: source.mean, delta: source.delta, items: source.items })
      : app.engine.ask("openExample", { name: source.name, bytes });
  }

  protected guess() {
    return app.engine.ask("mapping", undefined);
  }

  protected map(mapping: Mapping, options: AskOptions) {
    return app.engine.ask("map", { mapping }, options);
  }

  protected use(dropBad: boolean) {
    return app.engine.ask("accept", { dropBad });
  }

  protected mappingOf(meaning: Meaning) {
    return meaning as Mapping;
  }

  protected get filled() {
    return this.summary !== undefined || this.#incoming !== undefined;
  }

  protected knobs() {
    return planKnobs(this.#state);
  }

  protected begin(summary: DatasetSummary, source: Source, knobs?: Plan["knobs"]) {
    this.#incoming = summary;
    const fresh = initialState();
    const { metric, order, policy } = this.#state;
    const model = summary.hasPosterior ? "gamma-poisson" : summary.hasShape ? "weibull" : this.#state.model;
    const suited: AllocateState = {
      ...fresh,
      model,
      // A Weibull item's changes are not counted, so what counts them has no meaning there.
      metric: model === "weibull" && metric !== "age" ? "freshness" : metric,
      order,
      policy,
      source,
      budget: summary.defaultBudget,
      logAxes: summary.rateMin > 0 ? summary.rateMax / summary.rateMin > 100 : summary.rows > 20,
      sort: summary.rows <= 20 ? "row" : "share",
      descending: summary.rows > 20,
      timetable: {
        ...fresh.timetable,
        horizon: summary.defaultBudget * 7 <= VISITS_AT_ONCE ? 7 : 1,
        slot: summary.defaultBudget >= HOURLY_FROM ? 1 / 24 : 1,
      },
      simulation: { ...this.#state.simulation, runs: summary.rows <= 2_000 ? 200 : 40 },
    };
    this.#state = knobs === undefined ? suited : withKnobs(suited, knobs);
    this.#largest = undefined;
    this.#planned = undefined;
    this.#plan.request(this.#state);
  }

  // ---------- answers ----------

  async #answerPlan(state: AllocateState) {
    try {
      const view = await app.engine.ask("plan", knobsOf(state));
      const kept = this.#keptTradeoff(view, state);
      const lines = kept ?? app.engine.ask("tradeoff", undefined);
      const first = this.view === undefined;
      const incoming = this.#incoming !== undefined;
      const tradeoff = incoming ? kept : await lines;
      // A set and its first plan come on the page together, so that no sentence ever speaks of both the old and the new.
      if (this.#incoming !== undefined) {
        this.summary = this.#incoming;
        this.#incoming = undefined;
        this.simulation = undefined;
        this.timetable = undefined;
      }
      this.view = view;
      this.tradeoff = tradeoff;
      this.shown = { metric: state.metric, policy: state.policy, asks: state.asks };
      this.#planned = state;
      this.planProblem = undefined;
      this.edition++;
      this.#item.request(this.#state);
      this.#follow(first ? 0 : 300);
      // New data are on the page as soon as they are planned for; the engine sweeps budgets while the page draws.
      if (incoming) this.tradeoff = await lines;
    } catch (thrown) {
      if (!isProblem(thrown)) return await this.recover(thrown);
      this.planProblem = thrown;
      if (this.#incoming === undefined) return;
      this.summary = this.#incoming;
      this.#incoming = undefined;
      this.view = undefined;
    }
  }

  /** The row that is drawn until the person chooses one. */
  #largest: number | undefined;
  /** The plan that the timetable was made from. */
  #scheduled: AllocateView | undefined;
  /** The last choices that made a plan. */
  #planned: AllocateState | undefined;
  #tradeoffOf = "";

  /**
   * The lines of the trade-off do not depend on the budget, only the stretch of them that is swept does. The stretch on
   * the page is kept while the budget stays on it: its axis does not slide under the hand that drags the marker, and the
   * engine has less to do.
   */
  #keptTradeoff({ answer: { budget } }: AllocateView, state: AllocateState): TradeoffView | undefined {
    const { model, metric, order, shape, evidence, hostCap, minEvery, maxEvery, source } = state;
    const key = JSON.stringify({ model, metric, order, shape, evidence, hostCap, minEvery, maxEvery, source });
    const kept = key === this.#tradeoffOf ? this.tradeoff : undefined;
    this.#tradeoffOf = key;
    const swept = kept?.budget;
    return swept !== undefined && budget >= (swept[0] ?? 0) && budget <= (swept[swept.length - 1] ?? 0)
      ? kept
      : undefined;
  }

  async #answerItem({ item }: AllocateState) {
    try {
      const row = item ?? (this.#largest ??= (await app.engine.ask("rows", LARGEST_SHARE)).row[0]);
      if (row === undefined) return;
      const why = await app.engine.ask("why", { row });
      const pace = why.frequency > 0 ? why.frequency : why.rate;
      const span = pace * SPANS[0] > 200 ? 6 / pace : (SPANS.find((days) => pace * days >= 4.5) ?? STILL_SPAN);
      this.item = await app.engine.ask("item", { row, horizon: span });
      this.itemWhy = why;
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  /** The slow answers follow once the knobs rest. */
  #follow(wait: number) {
    clearTimeout(this.#settle);
    this.#simulationAbort?.abort();
    this.#scheduleAbort?.abort();
    this.#settle = setTimeout(() => {
      if ((this.summary?.rows ?? 0) <= SIMULATE_AT_ONCE) void this.simulate();
      if ((this.view?.answer.spent ?? 0) * this.#state.timetable.horizon <= VISITS_AT_ONCE) void this.schedule();
      else this.timetable = undefined;
    }, wait);
  }

  async simulate() {
    this.#simulationAbort?.abort();
    const abort = (this.#simulationAbort = new AbortController());
    const { horizon, runs, seed } = this.#state.simulation;
    try {
      this.simulating = 0;
      const reply = await app.engine.ask(
        "simulate",
        { horizon, runs, seed, points: SIMULATED_POINTS },
        { signal: abort.signal, onProgress: (fraction) => (this.simulating = fraction) },
      );
      if (abort.signal.aborted) return;
      this.simulation = reply;
      this.simulationProblem = undefined;
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.simulation = undefined;
      if (isProblem(thrown)) this.simulationProblem = thrown;
      else await this.recover(thrown);
    } finally {
      if (this.#simulationAbort === abort) this.simulating = undefined;
    }
  }

  cancelSimulation() {
    this.#simulationAbort?.abort();
    this.simulating = undefined;
  }

  async newSeed() {
    const seed = await app.engine.ask("freshSeed", undefined);
    this.write({ simulation: { ...this.#state.simulation, seed } });
  }

  async schedule() {
    this.#scheduleAbort?.abort();
    const abort = (this.#scheduleAbort = new AbortController());
    const { horizon, start, slot, capacity } = this.#state.timetable;
    const plan = this.view;
    try {
      this.scheduling = 0;
      const request = {
        horizon,
        start,
        ...(slot !== undefined && { slot }),
        ...(capacity !== undefined && { capacity }),
      };
      const reply = await app.engine.ask("schedule", request, {
        signal: abort.signal,
        onProgress: (fraction) => (this.scheduling = fraction),
      });
      if (!abort.signal.aborted) {
        this.timetable = reply;
        this.#scheduled = plan;
        this.timetableProblem = undefined;
        this.edition++;
      }
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.timetable = undefined;
      if (isProblem(thrown)) this.timetableProblem = thrown;
      else await this.recover(thrown);
    } finally {
      if (this.#scheduleAbort === abort) this.scheduling = undefined;
    }
  }

  /** A timetable follows the plan only once the knobs rest; whoever takes it away must not get that of an older plan. */
  async upToDateTimetable() {
    if (this.#scheduled !== this.view) await this.schedule();
  }

  cancelSchedule() {
    this.#scheduleAbort?.abort();
    this.scheduling = undefined;
  }

  // ---------- after a panic ----------

  protected async resume() {
    // Asked for again by the person, not at once: a panic in it would start the whole round anew.
    this.timetable = undefined;
    // The knobs of the moment may be what the engine choked on: the last ones that made a plan are safe.
    if (this.#planned !== undefined) await app.engine.ask("plan", knobsOf(this.#planned));
    this.edition++;
  }
}

/** The lab, which lasts as long as the page. */
export const allocate = new AllocateLab();
