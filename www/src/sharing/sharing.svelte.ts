/**
 * How a lab's plan leaves the tab and comes back: the link in the address, the plan as a file, and the work kept on this
 * machine. A lab says what its plan is and how to open one; everything else is here, once for all labs.
 */
import type { Plan, PlanTable } from "afresh";
import { embedded } from "../shell/embed";
import { app } from "../state/app.svelte";
import type { PlanSketch } from "../worker/calls/plan";
import { Latest, ProblemError } from "../worker/engine";
import { read, written, type LabId } from "./address";
import { noFiles, tablesApart, withFile, type Files } from "./apart";
import { forgetAll, keepFile, keepWork, keptFile, keptWork } from "./keep";

export interface Shareable {
  /** The lab's name in addresses. */
  readonly id: LabId;
  /** What is on the page, once there is something. */
  sketch(): PlanSketch | undefined;
  /** The file in use and its fingerprint, if one is. */
  file(): { content: Blob; mark: string } | undefined;
  /** Opens a plan; with the files, by their fingerprints, that did not travel inside. What is open stays if that fails. */
  restore(plan: Plan, files: Files): Promise<void>;
  /** Opens the lab's first example. */
  openFirst(): Promise<void>;
  /** The first example may be opened soon: what it takes may already come. */
  expectFirst(): void;
}

/** A plan of which a file did not travel with it. */
export interface Wanted {
  plan: Plan;
  table: PlanTable;
  /** The files of it that were given already. */
  supplied: Files;
  /** A file that was offered and is not the one. */
  other?: File | undefined;
}

/** The address follows once the knobs rest. */
const REST = 300;
/** `week.afresh.json`, and what browsers make of its name when they save it twice. */
const PLAN_FILE = /\.afresh(\s*\(\d+\))?\.json$/i;
/** The mark of the history's first entry, which has no plan in its address: the lab as it opens. */
const FIRST = "afresh-first";

export class Sharing {
  /** The link of what is on the page. */
  link = $state.raw<{ text: string; whole: boolean } | undefined>();
  /** Why there is none. */
  linkProblem = $state.raw<string | undefined>();
  wanted = $state.raw<Wanted | undefined>();
  /** When the work was kept that was brought back. */
  broughtBack = $state.raw<number | undefined>();

  readonly #lab: Shareable;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #opened = false;
  /** The address as this page last wrote or read it. */
  #address = "";
  /** Whether the next address is a new entry of the history: the data are others. */
  #newEntry = false;
  /** Files of this visit by their fingerprints, so that going back finds them. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing on the page follows it
  #files = new Map<string, Blob>();
  #refresh = new Latest<PlanSketch>((sketch) => this.#follow(sketch));

  constructor(lab: Shareable) {
    this.#lab = lab;
    addEventListener("hashchange", () => void this.#onAddress());
    // Whoever leaves the tab may close it next: what rests is kept now.
    addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.#touched) this.#now();
    });
  }

  // ---------- in ----------

  /** Opens what the address says, or the work that was kept, or the example. */
  async open() {
    if (this.#opened) return;
    this.#opened = true;
    const { lab, link } = read(location);
    this.#address = location.hash;
    if (link !== undefined && lab === this.#lab.id) {
      if (await this.#openLink(link)) return;
    } else if (!embedded) history.replaceState(FIRST, "");
    this.#lab.expectFirst();
    if (embedded || !(await this.#bringBack())) await this.#lab.openFirst();
  }

  async #onAddress() {
    if (!this.#opened || location.hash === this.#address) return;
    const { lab, link } = read(location);
    if (lab !== this.#lab.id) return;
    this.#address = location.hash;
    this.wanted = undefined;
    if (link !== undefined) await this.#openLink(link);
    else if (history.state === FIRST) await this.#lab.openFirst();
    else this.changed();
  }

  /** Opens a link; says what is wrong with it and leaves what is open as it is. */
  async #openLink(text: string): Promise<boolean> {
    try {
      const opened = await this.#openPlan(await app.engine.ask("openLink", { text }));
      app.dismiss();
      return opened;
    } catch (thrown) {
      this.#explain(thrown);
      return false;
    }
  }

  #explain(thrown: unknown) {
    app.report(thrown, { label: "Start from the example", run: () => this.startAfresh() });
  }

  /** Opens a plan, or asks for the file that it is about; false if nothing was opened. */
  async #openPlan(plan: Plan, supplied: Files = noFiles): Promise<boolean> {
    if (plan.lab !== this.#lab.id) {
      location.hash = written(plan.lab as LabId, await app.engine.ask("relink", plan));
      return false;
    }
    let files = supplied;
    for (const table of tablesApart(plan)) {
      const mark = table.fingerprint ?? "";
      const file = files.get(mark) ?? this.#files.get(mark) ?? (await this.#keptFile(mark));
      if (file === undefined) {
        this.wanted = { plan, table, supplied };
        return false;
      }
      files = withFile(files, mark, file);
    }
    await this.#lab.restore(plan, files);
    for (const [mark, file] of files) if (!supplied.has(mark)) this.#files.set(mark, file);
    this.#settle();
    return true;
  }

  async #keptFile(mark: string): Promise<Blob | undefined> {
    const kept = await keptWork(this.#lab.id);
    return kept?.mark === mark ? keptFile(this.#lab.id) : undefined;
  }

  /** A file that was chosen or dropped, if it is for us: the one that a plan wants, or a saved plan. */
  async take(file: File): Promise<boolean> {
    if (PLAN_FILE.test(file.name)) {
      await this.openFile(file);
      return true;
    }
    if (this.wanted === undefined) return false;
    await this.supply(file);
    return true;
  }

  async openFile(file: Blob) {
    try {
      const plan = await app.engine.ask("openPlanFile", { text: await file.text() });
      app.dismiss();
      if (await this.#openPlan(plan)) this.changed("data");
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** Takes the file that a plan wants; one that is another is told apart, and used only if the person says so. */
  async supply(file: File, evenIfOther = false) {
    const { wanted } = this;
    if (wanted === undefined) return;
    try {
      if (!evenIfOther) {
        const { fingerprint } = await app.during(`Reading ${file.name}`, (options) =>
          app.engine.ask("read", { lab: this.#lab.id, name: file.name, content: file }, options),
        );
        await app.engine.ask("discard", { lab: this.#lab.id });
        if (fingerprint !== wanted.table.fingerprint) {
          this.wanted = { ...wanted, other: file };
          return;
        }
      }
      const supplied = withFile(wanted.supplied, wanted.table.fingerprint ?? "", file);
      // It may need another file still.
      if (!(await this.#openPlan(wanted.plan, supplied))) return;
      this.wanted = undefined;
      app.dismiss();
      this.changed("data");
    } catch (thrown) {
      app.report(thrown);
    }
  }

  /** Opens a plan that another lab made of its findings, and turns the page to this one. */
  async adopt(plan: Plan) {
    this.#opened = true;
    this.wanted = undefined;
    this.broughtBack = undefined;
    await this.#lab.restore(plan, noFiles);
    location.hash = this.#lab.id;
    this.changed();
  }

  async startAfresh() {
    app.dismiss();
    await this.#lab.openFirst();
    this.changed("data");
  }

  async giveUpWanted() {
    this.wanted = undefined;
    if (this.#lab.sketch() === undefined && !(await this.#bringBack())) await this.#lab.openFirst();
    else this.changed();
  }

  async #bringBack(): Promise<boolean> {
    const kept = await keptWork(this.#lab.id);
    if (kept === undefined) return false;
    const { text } = kept;
    try {
      const plan = await app.engine.ask(text.startsWith("{") ? "openPlanFile" : "openLink", { text });
      if (!(await this.#openPlan(plan))) {
        // Its file is gone: there is nothing to bring back.
        this.wanted = undefined;
        return false;
      }
      this.broughtBack = kept.at;
      return true;
    } catch {
      return false;
    }
  }

  // ---------- out ----------

  /** The plan on the page has changed: its knobs, or its data too. */
  changed(what: "knobs" | "data" = "knobs") {
    if (what === "data") {
      this.#newEntry = true;
      this.broughtBack = undefined;
    }
    this.#later(true);
  }

  /** A plan was opened as it stands in the address: only the link is to be known. */
  #settle() {
    this.#newEntry = false;
    this.#later(false);
  }

  /** Makes the link known without touching the address: nothing was chosen yet. */
  ready() {
    if (this.#timer === undefined) this.#later(false);
  }

  #touched = false;

  #later(touched: boolean) {
    this.#touched ||= touched;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#now(), REST);
  }

  #now() {
    clearTimeout(this.#timer);
    const sketch = this.#lab.sketch();
    if (sketch !== undefined) this.#refresh.request(sketch);
  }

  async #follow(sketch: PlanSketch) {
    // What changes from here on is for the next time.
    const touched = this.#touched;
    this.#touched = false;
    try {
      this.link = await app.engine.ask("link", sketch);
      this.linkProblem = undefined;
    } catch (thrown) {
      this.link = undefined;
      this.linkProblem =
        thrown instanceof ProblemError && thrown.kind !== "internal"
          ? "These data came inside a saved plan and are too many for a link: save the plan instead."
          : String(thrown);
    }
    if (!touched || embedded) return;
    // Another lab may be on the page by now: the address is its own.
    if (read(location).lab === this.#lab.id) this.#write();
    await this.#keep(sketch);
  }

  #write() {
    // The address is that of the lab which is shown.
    if (this.link === undefined || read(location).lab !== this.#lab.id) return;
    const address = this.address(this.link.text);
    if (address === location.hash) return;
    if (this.#newEntry) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    this.#newEntry = false;
    this.#address = location.hash;
  }

  async #keep(sketch: PlanSketch) {
    const file = this.link?.whole === false ? this.#lab.file() : undefined;
    if (file?.mark !== this.#keptMark) {
      await keepFile(this.#lab.id, file?.content);
      this.#keptMark = file?.mark;
      if (file !== undefined) this.#files.set(file.mark, file.content);
    }
    // Only one file is kept: what else does not fit into a link is kept inside the plan.
    const inside = this.link === undefined || (!this.link.whole && (sketch.beside ?? 0) > 0);
    const text = inside || !this.link ? await app.engine.ask("planFile", sketch) : this.link.text;
    await keepWork(this.#lab.id, { text, mark: file?.mark, at: Date.now() });
  }

  /** The fingerprint of the file that is kept. */
  #keptMark: string | undefined;

  /** The link as of now, for whoever takes it away. */
  async current(): Promise<string | undefined> {
    const sketch = this.#lab.sketch();
    if (sketch === undefined) return undefined;
    clearTimeout(this.#timer);
    await this.#follow(sketch);
    return this.link === undefined ? undefined : this.address(this.link.text);
  }

  /** The part of the page's address that a link is. */
  address(link: string): string {
    return written(this.#lab.id, link);
  }

  /** The plan as the text of a file. */
  async planFile(): Promise<string | undefined> {
    const sketch = this.#lab.sketch();
    return sketch === undefined ? undefined : app.engine.ask("planFile", sketch);
  }

  async forget() {
    clearTimeout(this.#timer);
    this.#touched = false;
    this.#files.clear();
    this.#keptMark = undefined;
    this.broughtBack = undefined;
    await forgetAll();
  }
}
