/** The page's side of the channel. `ask("plan", knobs)` is typed from end to end by the table of calls. */
import type { Problem } from "afresh";
import { compile } from "#compile";
import type { Argument, CallName, FromWorker, Reply, ToWorker } from "./protocol";
import EngineWorker from "./worker?worker&inline";

export interface AskOptions {
  signal?: AbortSignal;
  onProgress?: (fraction: number) => void;
}

/** A `Problem` on its way through promises. */
export class ProblemError extends Error implements Problem {
  readonly kind: Problem["kind"];
  readonly hint: string;
  readonly row?: number;
  readonly column?: string;

  constructor(problem: Problem) {
    super(problem.message);
    this.kind = problem.kind;
    this.hint = problem.hint;
    if (problem.row !== undefined) this.row = problem.row;
    if (problem.column !== undefined) this.column = problem.column;
  }
}

interface Pending {
  resolve(value: unknown): void;
  reject(problem: ProblemError): void;
  onProgress?: ((fraction: number) => void) | undefined;
}

/** One worker with wasm inside, replaced by a fresh one after a panic. */
export class Engine {
  #module: Promise<WebAssembly.Module> = compile();
  #worker!: Worker;
  #pending = new Map<number, Pending>();
  #lastId = 0;
  /** Counts the workers: what was given to an earlier one is gone. */
  generation = 0;
  /** Posts wait for the module; one chain keeps them in the order of the asking. */
  #started!: Promise<void>;

  constructor() {
    this.#start();
  }

  ask<N extends CallName>(name: N, argument: Argument<N>, options: AskOptions = {}): Promise<Reply<N>> {
    const id = ++this.#lastId;
    return new Promise<Reply<N>>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject, onProgress: options.onProgress });
      options.signal?.addEventListener("abort", () => this.#post({ type: "cancel", id }), { once: true });
      this.#post({ type: "call", id, name, argument });
    });
  }

  #post(message: ToWorker) {
    const worker = this.#worker;
    void this.#started.then(() => worker.postMessage(message));
  }

  #start() {
    const worker = new EngineWorker();
    this.#worker = worker;
    this.generation++;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    worker.onerror = (event) =>
      this.#replace(
        new ProblemError({
          kind: "internal",
          message: `The engine stopped: ${event.message}`,
          hint: "Reload the page.",
        }),
      );
    this.#started = this.#module.then(
      (module) => worker.postMessage({ type: "start", module } satisfies ToWorker),
      (reason: unknown) =>
        this.#rejectAll(
          new ProblemError({
            kind: "internal",
            message: `The engine could not be loaded: ${String(reason)}`,
            hint: "Reload the page; a browser of the last few years is needed.",
          }),
        ),
    );
  }

  #receive(message: FromWorker) {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.type === "progress") {
      pending.onProgress?.(message.fraction);
      return;
    }
    this.#pending.delete(message.id);
    if (message.type === "reply") {
      pending.resolve(message.value);
      return;
    }
    const problem = new ProblemError(message.problem);
    // After a panic the memory of the wasm instance cannot be trusted, so the whole worker goes.
    if (problem.kind === "internal") this.#replace(problem);
    pending.reject(problem);
  }

  #replace(problem: ProblemError) {
    this.#worker.onmessage = null;
    this.#worker.terminate();
    this.#start();
    this.#rejectAll(problem);
  }

  #rejectAll(problem: ProblemError) {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of all) pending.reject(problem);
  }
}

/**
 * Latest wins: while one question is being answered, only the newest of those asked meanwhile is kept. Answers arrive in
 * the order of the asking, so nothing stale is ever drawn over something newer, and a drag redraws as fast as it can.
 */
export class Latest<A> {
  #busy = false;
  #next: { argument: A } | undefined;

  constructor(private readonly answer: (argument: A) => Promise<void>) {}

  request(argument: A) {
    this.#next = { argument };
    if (!this.#busy) void this.#loop();
  }

  async #loop() {
    this.#busy = true;
    while (this.#next !== undefined) {
      const { argument } = this.#next;
      this.#next = undefined;
      await this.answer(argument);
    }
    this.#busy = false;
  }
}
