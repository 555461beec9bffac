/**
 * What every lab does with its data: an example, a file or a paste comes in, waits as the candidate while something is
 * wrong with it, is taken or put aside, travels in a plan, and is read again after a panic.
 *
 * A lab extends `DataLab<M, B, S>` and says what is its own: `M` is what its columns mean, `B` which sources need no file,
 * `S` what the worker answers once data are loaded. Each lab has its own tables in the worker (`tables` of
 * `worker/calls/`). `LabPage.svelte` frames such a lab, `DataPanel.svelte` and `CandidatePanel.svelte` show its data.
 */
import type { Example, KnobValue, MapReport, Meaning, Plan, PlanTable, Understood } from "afresh";
import { exampleBytes } from "../data/examples";
import type { LabId } from "../sharing/address";
import type { Files } from "../sharing/apart";
import { Sharing, type Shareable } from "../sharing/sharing.svelte";
import type { PlanSketch } from "../worker/calls/plan";
import { ProblemError, type AskOptions } from "../worker/engine";
import { app } from "./app.svelte";

/** What the columns of a table mean, in the words of a lab. */
export interface Columns {
  roles: string[];
  units?: (string | undefined)[];
  header: boolean;
  decimalComma: boolean;
}

/** Data that come with Afresh: a file of its own, or a set that is computed. */
export type BuiltIn = { kind: "example"; name: string } | { kind: "gamma" };

export interface FileSource<M> {
  kind: "file";
  name: string;
  mapping: M;
  dropBad: boolean;
}

/** What a table is read from: a file, pasted text, or the columns that a plan carried. */
type Content = Blob | string | { table: PlanTable };

/** A file that has been read but not yet taken: nothing is replaced until it is valid. */
export interface Candidate<M> {
  name: string;
  content: Content;
  /** What the file is known by; nothing for a table that came inside a plan. */
  mark: string;
  understood: Understood;
  /** What the columns seemed to mean at first. */
  guess: M;
  mapping: M;
  report: MapReport | undefined;
}

/** Whether this is an answer that the person can act on, and not a bug of ours. */
export function isProblem(thrown: unknown): thrown is ProblemError {
  return thrown instanceof ProblemError && thrown.kind !== "internal";
}

export abstract class DataLab<M extends Columns, B extends BuiltIn, S> implements Shareable {
  abstract readonly id: LabId;
  readonly sharing = new Sharing(this);
  examples = $state.raw<Example[]>([]);
  understood = $state.raw<Understood | undefined>();
  candidate = $state.raw<Candidate<M> | undefined>();

  // ---------- what a lab says of itself ----------

  abstract get source(): B | FileSource<M>;
  /** Whether there is something to share. */
  protected abstract get filled(): boolean;
  /** The choices, as the knobs of a plan. */
  protected abstract knobs(): Record<string, KnobValue>;
  /** Forgets what was chosen; the data to open with. */
  protected abstract first(): B;
  /** What the example of this name is here, with the knobs of the plan that names it. */
  protected abstract builtIn(name: string, knobs: NonNullable<Plan["knobs"]>): B;
  protected abstract mappingOf(meaning: Meaning): M;
  /** The engine's part: loading what is built in, guessing and mapping the columns of the table read last, using it. */
  protected abstract load(source: B, bytes: Uint8Array | undefined): Promise<S>;
  protected abstract guess(): Promise<M>;
  protected abstract map(mapping: M, options: AskOptions): Promise<MapReport>;
  protected abstract use(dropBad: boolean): Promise<S>;
  /** New data are loaded: lays a plan's knobs over the choices that suit them, and asks for the answer. */
  protected abstract begin(loaded: S, source: B | FileSource<M>, knobs?: Plan["knobs"]): void;
  /** A replaced worker has the data again: brings it back to where the page is. */
  protected abstract resume(loaded: S): Promise<void>;

  // ---------- opening ----------

  /** The example that was asked for last. */
  #wanted: B | undefined;
  /** The file in use, kept on the page so that a replaced worker can read it again. */
  #content: Content = "";
  #mark = "";
  /** What its columns seemed to mean at first. */
  #guess: M | undefined;
  /** The worker that the data were given to. */
  #worker = 0;

  /** Whenever the lab comes on the page. */
  async open() {
    try {
      const [examples] = await Promise.all([app.engine.ask("examples", undefined), this.sharing.open()]);
      this.examples = examples.filter((example) => this.offers(example));
      if (this.filled && this.#worker !== app.engine.generation) await this.#bringBack();
    } catch (thrown) {
      app.report(thrown);
    }
  }

  protected abstract offers(example: Example): boolean;

  /** Opens an example that the person chose. */
  async openExample(source: B) {
    try {
      if (!(await this.#open(source))) return;
      app.dismiss();
      this.sharing.changed("data");
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** The same by its name. */
  async choose(name: string) {
    await this.openExample(this.builtIn(name, {}));
  }

  expectFirst() {
    // What goes wrong is told when it is needed.
    this.#bytes(this.first()).catch(() => undefined);
  }

  /** The lab as it opens; what went wrong before that stays on the page. */
  async openFirst() {
    try {
      await this.#open(this.first());
      this.sharing.ready();
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** False if the person has asked for something else since. */
  async #open(source: B, knobs?: Plan["knobs"]): Promise<boolean> {
    this.#wanted = source;
    const bytes = await this.#bytes(source);
    // A file on its way must not push aside what the person has asked for since.
    if (this.#wanted !== source) return false;
    const loaded = await this.load(source, bytes);
    this.understood = undefined;
    this.candidate = undefined;
    this.#worker = app.engine.generation;
    this.begin(loaded, source, knobs);
    return true;
  }

  /** What the engine cannot compute for itself. */
  #bytes(source: B): Promise<Uint8Array | undefined> {
    return source.kind === "example" ? exampleBytes(source.name) : Promise.resolve(undefined);
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
      const { understood, mark } = await this.#unfold(name, content);
      const guess = await this.guess();
      app.dismiss();
      const candidate = { name, content, mark, understood, guess, mapping: guess };
      try {
        const report = await this.#map(guess);
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

  /** Opens the columns of the file in use for editing; what it brought stays until the new mapping is taken. */
  reopen() {
    const { source, understood } = this;
    if (source.kind !== "file" || understood === undefined) return;
    const { name, mapping } = source;
    const guess = this.#guess ?? mapping;
    this.candidate = { name, content: this.#content, mark: this.#mark, understood, guess, mapping, report: undefined };
    void this.remap(mapping);
  }

  async remap(mapping: M) {
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

  #map(mapping: M) {
    return app.during("Checking every row", (options) => this.map(mapping, options));
  }

  async accept(dropBad: boolean) {
    if (this.candidate === undefined) return;
    try {
      await this.#take(this.candidate, dropBad);
    } catch (thrown) {
      await this.recover(thrown);
    }
  }

  async #take(
    { name, content, mark, understood, guess, mapping }: Candidate<M>,
    dropBad: boolean,
    knobs?: Plan["knobs"],
  ) {
    const loaded = await this.use(dropBad);
    this.#content = content;
    this.#mark = mark;
    this.#guess = guess;
    this.#worker = app.engine.generation;
    this.understood = understood;
    this.candidate = undefined;
    this.begin(loaded, { kind: "file", name, mapping, dropBad }, knobs);
    if (knobs !== undefined) return;
    app.dismiss();
    this.sharing.changed("data");
  }

  discard() {
    this.candidate = undefined;
    app.dismiss();
    void app.engine.ask("discard", { lab: this.id }).catch(() => undefined);
  }

  // ---------- plans that travel ----------

  sketch(): PlanSketch | undefined {
    if (!this.filled) return undefined;
    const { source } = this;
    return {
      lab: this.id,
      knobs: this.knobs(),
      data:
        source.kind === "file"
          ? { mapping: { ...source.mapping, units: [...(source.mapping.units ?? [])] }, dropBad: source.dropBad }
          : { example: source.kind === "example" ? source.name : source.kind },
    };
  }

  file() {
    if (this.source.kind !== "file" || this.#mark === "") return undefined;
    const content = this.#content;
    if (typeof content !== "string" && !(content instanceof Blob)) return undefined;
    return { content: typeof content === "string" ? new Blob([content]) : content, mark: this.#mark };
  }

  async restore({ data, knobs = {} }: Plan, files: Files) {
    if ("example" in data) {
      await this.#open(this.builtIn(data.example, knobs), knobs);
      return;
    }
    this.#wanted = undefined;
    const { table } = data;
    const { name, columns, decimalComma = false, header = false, dropBad = false } = table;
    const content = files.get(table.fingerprint ?? "") ?? { table };
    const { understood, mark } = await this.#unfold(name, content);
    // The words of a plan's columns are the lab's; a word that is not is refused by `map`, before anything is replaced.
    const mapping = this.mappingOf({
      roles: columns.map(({ role }) => role),
      units: columns.map(({ unit }) => unit),
      decimalComma,
      header,
    });
    const report = await this.#map(mapping);
    const candidate = { name, content, mark, understood, guess: mapping, mapping, report };
    if (report.badRows > 0 && !dropBad) this.candidate = candidate;
    else await this.#take(candidate, dropBad, knobs);
  }

  async #unfold(name: string, content: Content): Promise<{ understood: Understood; mark: string }> {
    const lab = this.id;
    if (typeof content !== "string" && !(content instanceof Blob))
      return { ...(await app.engine.ask("unfold", { lab, ...content })), mark: "" };
    const { understood, fingerprint } = await app.during(`Reading ${name}`, (options) =>
      app.engine.ask("read", { lab, name, content }, options),
    );
    return { understood, mark: fingerprint };
  }

  // ---------- after a panic ----------

  #recovering = false;

  /** Reports what was thrown; after a panic also brings the replaced worker back to where the person was. */
  async recover(thrown: unknown) {
    app.report(thrown);
    if (thrown instanceof ProblemError && thrown.kind === "internal") await this.#bringBack();
  }

  async #bringBack() {
    if (this.#recovering) return;
    this.#recovering = true;
    try {
      const loaded = await this.#reload();
      this.#worker = app.engine.generation;
      await this.resume(loaded);
    } catch (again) {
      app.report(again);
    } finally {
      this.#recovering = false;
    }
  }

  async #reload(): Promise<S> {
    const { source } = this;
    if (source.kind !== "file") return this.load(source, await this.#bytes(source));
    await this.#unfold(source.name, this.#content);
    await this.map(source.mapping, {});
    return this.use(source.dropBad);
  }

  /** For the fire drill: makes the engine panic on purpose. */
  async rehearsePanic(text: string) {
    await app.engine.ask("rehearsePanic", { text }).catch((thrown: unknown) => this.recover(thrown));
  }
}
