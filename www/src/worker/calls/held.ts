/** Objects inside the wasm, which nobody frees but us. */
import type { Problem } from "afresh";

export interface Freeable {
  free(): void;
}

/** A place for one wasm object; putting a new one in frees the old one. */
export class Slot<T extends Freeable> {
  #held: T | undefined;

  constructor(private readonly absent: string) {}

  put(next: T): T {
    this.#held?.free();
    this.#held = next;
    return next;
  }

  get filled(): boolean {
    return this.#held !== undefined;
  }

  clear() {
    this.#held?.free();
    this.#held = undefined;
  }

  get(): T {
    // Happens when a question was under way while a panicked worker was replaced: it is moot, not a bug.
    if (this.#held === undefined)
      throw { kind: "cancelled", message: this.absent, hint: "Ask again." } satisfies Problem;
    return this.#held;
  }

  /** Takes the object out without freeing it: `finish` consumes what it is called on. */
  take(): T {
    const held = this.get();
    this.#held = undefined;
    return held;
  }
}
