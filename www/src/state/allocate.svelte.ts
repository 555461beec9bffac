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
  MapReport,
  Mapping,
  Metric,
  Plan,
  PlanTable,
  Policy,
  SimulationView,
  TimetableSummary,
  TradeoffView,
  Understood,
  Why,
} from "afresh";
import { exampleBytes } from "../data/examples";
import { Sharing, type Shareable } from "../sharing/sharing.svelte";
import type { PlanSketch } from "../worker/calls";
import { Latest, ProblemError } from "../worker/engine";
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

/** A file that has been read but not yet taken: nothing is replaced until it is valid. */
export interface Candidate {
  name: string;
  content: Content;
  /** What the file is known by; nothing for a table that came inside a plan. */
  mark: string;
  understood: Understood;
  mapping: Mapping;
  report: MapReport | undefined;
}

/** What a table is read from: a file, pasted text, or the columns that a plan carried. */
type Content = Blob | string | { table: PlanTable };

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

/** Whether this is an answer that the person can act on, and not a bug of ours. */
function isProblem(thrown: unknown): thrown is ProblemError {
  return thrown instanceof ProblemError && thrown.kind !== "internal";
}

type BuiltIn = Exclude<Source, { kind: "file" }>;

/** What the engine cannot compute for itself. */
function bytesOf(source: BuiltIn): Promise<Uint8Array | undefined> {
  return source.kind === "example" ? exampleBytes(source.name) : Promise.resolve(undefined);
}

export class AllocateLab implements Shareable {
  readonly id = "allocate" as const;
  readonly sharing = new Sharing(this);
  #state = $state.raw(initialState());
  examples = $state.raw<Example[]>([]);
  summary = $state.raw<DatasetSummary | undefined>();
  understood = $state.raw<Understood | undefined>();
  candidate = $state.raw<Candidate | undefined>();
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

  /** The example that was asked for last. */
  #wanted: Source | undefined;
  /** A set that has been loaded and is being planned for. */
  #incoming: DatasetSummary | undefined;
  /** The file in use, kept on the page so that a replaced worker can read it again. */
  #content: Content = "";
  #mark = "";
  #settle: ReturnType<typeof setTimeout> | undefined;
  #simulationAbort: AbortController | undefined;
  #scheduleAbort: AbortController | undefined;

  #plan = new Latest<AllocateState>((state) => this.#answerPlan(state));
  #item = new Latest<AllocateState>((state) => this.#answerItem(state));

  get state(): AllocateState {
    return this.#state;
  }

  async open() {
    try {
      const [examples] = await Promise.all([app.engine.ask("examples", undefined), this.sharing.open()]);
      this.examples = examples;
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** The one gateway. */
  write(patch: Partial<AllocateState>) {
    const before = this.#state;
    const next = (this.#state = { ...before, ...patch });
    const changed = (key: keyof AllocateState) => before[key] !== next[key];
    if (this.summary === undefined && this.#incoming === undefined) return;
    if (planKeys.some(changed)) this.#plan.request(next);
    else if (changed("item")) this.#item.request(next);
    if (changed("simulation")) void this.simulate();
    if (changed("timetable")) void this.schedule();
    this.sharing.changed();
  }

  // ---------- data ----------

  /** Opens an example that the person chose. */
  async openExample(source: BuiltIn) {
    try {
      if (!(await this.#open(source))) return;
      app.dismiss();
      this.sharing.changed("data");
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** The lab as it opens; what went wrong before that stays on the page. */
  async openFirst() {
    try {
      this.#state = initialState();
      await this.#open({ kind: "example", name: FIRST_EXAMPLE });
      this.sharing.ready();
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** False if the person has asked for something else since. */
  async #open(source: BuiltIn, knobs?: Plan["knobs"]): Promise<boolean> {
    this.#wanted = source;
    const bytes = await bytesOf(source);
    // A file on its way must not push aside what the person has asked for since.
    if (this.#wanted !== source) return false;
    const summary = await this.#load(source, bytes);
    this.understood = undefined;
    this.candidate = undefined;
    this.#begin(summary, source, knobs);
    return true;
  }

  #load(source: BuiltIn, bytes: Uint8Array | undefined) {
    return source.kind === "gamma"
      ? app.engine.ask("openGamma", { mean: source.mean, delta: source.delta, items: source.items })
      : app.engine.ask("openExample", { name: source.name, bytes });
  }

  /** Takes a file that was chosen or dropped: a saved plan, the file that a plan waits for, or new data. */
  async take(file: File) {
    if (!(await this.sharing.take(file))) await this.read(file.name, file);
  }

  /**
   * Reads a file or pasted text and maps its columns as guessed. It takes over at once only when nothing is wrong;
   * otherwise it waits as the candidate for the person to mend the mapping or to agree to what is dropped.
   */
  async read(name: string, content: Blob | string) {
    this.#wanted = undefined;
    try {
      const { understood, mapping, fingerprint } = await app.during(`Reading ${name}`, (options) =>
        app.engine.ask("read", { name, content }, options),
      );
      app.dismiss();
      const candidate = { name, content, mark: fingerprint, understood, mapping };
      try {
        const report = await this.#map(mapping);
        if (report.badRows === 0) await this.#take({ ...candidate, report }, false);
        else this.candidate = { ...candidate, report };
      } catch (thrown) {
        if (!(thrown instanceof ProblemError) || thrown.kind !== "cancelled")
          this.candidate = { ...candidate, report: undefined };
        throw thrown;
      }
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  /** Opens the columns of the file in use for editing; its plan stays until the new mapping is taken. */
  reopen() {
    const { source } = this.#state;
    if (source.kind !== "file" || this.understood === undefined) return;
    this.candidate = {
      name: source.name,
      content: this.#content,
      mark: this.#mark,
      understood: this.understood,
      mapping: source.mapping,
      report: undefined,
    };
    void this.remap(source.mapping);
  }

  async remap(mapping: Mapping) {
    if (this.candidate === undefined) return;
    this.candidate = { ...this.candidate, mapping, report: undefined };
    try {
      const report = await this.#map(mapping);
      app.dismiss();
      if (this.candidate?.mapping === mapping) this.candidate = { ...this.candidate, report };
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  #map(mapping: Mapping) {
    return app.during("Checking every row", (options) => app.engine.ask("map", { mapping }, options));
  }

  async accept(dropBad: boolean) {
    if (this.candidate === undefined) return;
    try {
      await this.#take(this.candidate, dropBad);
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  async #take({ name, content, mark, understood, mapping }: Candidate, dropBad: boolean, knobs?: Plan["knobs"]) {
    const summary = await app.engine.ask("accept", { dropBad });
    this.#content = content;
    this.#mark = mark;
    this.understood = understood;
    this.candidate = undefined;
    this.#begin(summary, { kind: "file", name, mapping, dropBad }, knobs);
    if (knobs !== undefined) return;
    app.dismiss();
    this.sharing.changed("data");
  }

  discard() {
    this.candidate = undefined;
    app.dismiss();
    void app.engine.ask("discard", undefined).catch(() => undefined);
  }

  // ---------- plans that travel ----------

  sketch(): PlanSketch | undefined {
    if (this.summary === undefined && this.#incoming === undefined) return undefined;
    const { source } = this.#state;
    return {
      lab: this.id,
      knobs: planKnobs(this.#state),
      data:
        source.kind === "file"
          ? { mapping: { ...source.mapping, units: [...source.mapping.units] }, dropBad: source.dropBad }
          : { example: source.kind === "gamma" ? "gamma" : source.name },
    };
  }

  file() {
    if (this.#state.source.kind !== "file" || this.#mark === "") return undefined;
    const content = this.#content;
    if (typeof content !== "string" && !(content instanceof Blob)) return undefined;
    return { content: typeof content === "string" ? new Blob([content]) : content, mark: this.#mark };
  }

  async restore({ data, knobs = {} }: Plan, file?: Blob) {
    if ("example" in data) {
      await this.#open(sourceOf(data.example, knobs), knobs);
      return;
    }
    this.#wanted = undefined;
    const { table } = data;
    const { name, columns, decimalComma = false, header = false, dropBad = false } = table;
    const content = file ?? { table };
    const { understood, mark } = await this.#unfold(name, content);
    // The words of a plan's columns are this lab's; a word that is not is refused by `map`, before anything is replaced.
    const mapping = {
      roles: columns.map(({ role }) => role),
      units: columns.map(({ unit }) => unit),
      decimalComma,
      header,
    } as Mapping;
    const report = await this.#map(mapping);
    const candidate = { name, content, mark, understood, mapping, report };
    if (report.badRows > 0 && !dropBad) this.candidate = candidate;
    else await this.#take(candidate, dropBad, knobs);
  }

  async #unfold(name: string, content: Content): Promise<{ understood: Understood; mark: string }> {
    if (typeof content !== "string" && !(content instanceof Blob))
      return { ...(await app.engine.ask("unfold", content)), mark: "" };
    const { understood, fingerprint } = await app.during(`Reading ${name}`, (options) =>
      app.engine.ask("read", { name, content }, options),
    );
    return { understood, mark: fingerprint };
  }

  #begin(summary: DatasetSummary, source: Source, knobs?: Plan["knobs"]) {
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
      const tradeoff = this.#keptTradeoff(view, state) ?? (await app.engine.ask("tradeoff", undefined));
      const first = this.view === undefined;
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

  #recovering = false;

  /** Reports what was thrown; after a panic also brings the replaced worker back to where the person was. */
  async recover(thrown: unknown) {
    app.report(thrown);
    if (!(thrown instanceof ProblemError) || thrown.kind !== "internal" || this.#recovering) return;
    this.#recovering = true;
    try {
      await this.#restoreData();
      // Asked for again by the person, not at once: a panic in it would start the whole round anew.
      this.timetable = undefined;
      // The knobs of the moment may be what the engine choked on: the last ones that made a plan are safe.
      if (this.#planned !== undefined) await app.engine.ask("plan", knobsOf(this.#planned));
      this.edition++;
    } catch (again) {
      app.report(again);
    } finally {
      this.#recovering = false;
    }
  }

  async #restoreData() {
    const { source } = this.#state;
    if (source.kind !== "file") await this.#load(source, await bytesOf(source));
    else {
      await this.#unfold(source.name, this.#content);
      await app.engine.ask("map", { mapping: source.mapping });
      await app.engine.ask("accept", { dropBad: source.dropBad });
    }
  }

  /** For the fire drill: makes the engine panic on purpose. */
  async rehearsePanic(text: string) {
    await app.engine.ask("rehearsePanic", { text }).catch((thrown: unknown) => this.recover(thrown));
  }
}
