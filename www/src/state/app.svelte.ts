/** What belongs to the page and not to one lab: the engine, the theme, the one error panel, work under way. */
import type { Problem } from "afresh";
import { embedded } from "../shell/embed";
import { Engine, ProblemError } from "../worker/engine";

export type Theme = "auto" | "light" | "dark";

export interface Offer {
  label: string;
  run: () => unknown;
}

export interface Work {
  label: string;
  fraction: number;
  cancel: () => void;
}

const THEME_KEY = "afresh-theme";

class App {
  readonly engine = new Engine();
  theme = $state<Theme>("auto");
  /** Changes when the colours on the screen do, so that what reads resolved colours can follow. */
  dark = $state(false);
  problem = $state.raw<Problem | undefined>();
  /** What the person may do about the problem, besides reading it. */
  offer = $state.raw<Offer | undefined>();
  work = $state.raw<Work | undefined>();

  constructor() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", () => this.#paint(system));
    // A guest stores nothing, and in a frame the browser may refuse the very question.
    const stored = embedded ? null : localStorage.getItem(THEME_KEY);
    if (stored === "light" || stored === "dark") this.theme = stored;
    this.#paint(system);
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    localStorage.setItem(THEME_KEY, theme);
    this.#paint(matchMedia("(prefers-color-scheme: dark)"));
  }

  #paint(system: MediaQueryList) {
    if (this.theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = this.theme;
    this.dark = this.theme === "dark" || (this.theme === "auto" && system.matches);
  }

  /** Shows what went wrong; a cancel is the person's own wish and needs no panel. */
  report(thrown: unknown, offer?: Offer) {
    if (thrown instanceof ProblemError && thrown.kind === "cancelled") return;
    this.offer = offer;
    this.problem =
      thrown instanceof ProblemError
        ? thrown
        : { kind: "internal", message: String(thrown), hint: "Please report this text." };
  }

  dismiss() {
    this.problem = undefined;
    this.offer = undefined;
  }

  /** Runs a long question with the progress bar and its cancel button. */
  async during<T>(
    label: string,
    ask: (options: { signal: AbortSignal; onProgress: (fraction: number) => void }) => Promise<T>,
  ) {
    const abort = new AbortController();
    const show = (fraction: number) => (this.work = { label, fraction, cancel: () => abort.abort() });
    // Short work needs no bar: one that flashes by is noise.
    const timer = setTimeout(() => show(0), 150);
    const started = performance.now();
    try {
      const reply = await ask({
        signal: abort.signal,
        onProgress: (fraction) => performance.now() - started > 150 && show(fraction),
      });
      // The wish to stop may have come too late for the engine, but not for the person.
      if (abort.signal.aborted)
        throw new ProblemError({ kind: "cancelled", message: "Cancelled.", hint: "Nothing was changed." });
      return reply;
    } finally {
      clearTimeout(timer);
      this.work = undefined;
    }
  }
}

export const app = new App();
