/**
 * What travels between the page and the worker. A request names a call of the table in `calls/index.ts`; the argument and
 * reply types are read off that table, so both ends agree by construction.
 */
import type { Problem } from "afresh";
import type { calls } from "./calls";

type Calls = typeof calls;
export type CallName = keyof Calls;
export type Argument<N extends CallName> = Parameters<Calls[N]>[0];
export type Reply<N extends CallName> = Awaited<ReturnType<Calls[N]>>;

export type ToWorker =
  | { type: "start"; module: WebAssembly.Module }
  | { type: "call"; id: number; name: CallName; argument: unknown }
  | { type: "cancel"; id: number };

export type FromWorker =
  | { type: "reply"; id: number; value: unknown }
  | { type: "progress"; id: number; fraction: number }
  | { type: "problem"; id: number; problem: Problem };

/** What a handler may do besides answering. */
export interface Context {
  /** Tells the page how far the work is, from 0 to 1. */
  progress(fraction: number): void;
  /** Lets waiting messages in, a cancel among them; throws once the caller has cancelled. */
  breathe(): Promise<void>;
}
