/** The worker's side of the channel: starts wasm, runs calls, turns whatever is thrown into a `Problem`. */
import { initSync, lastPanic, type Problem } from "afresh";
import { calls } from "./calls";
import type { CallName, Context, FromWorker, ToWorker } from "./protocol";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const cancelled = new Set<number>();

class Cancelled extends Error {}

function send(message: FromWorker, transfer: Transferable[] = []) {
  scope.postMessage(message, transfer);
}

// A task of its own, unlike a promise, lets messages in; a MessageChannel has no 4 ms clamp, unlike setTimeout.
const ticks = new MessageChannel();
const waiting: (() => void)[] = [];
ticks.port1.onmessage = () => waiting.shift()?.();

function tick(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    ticks.port2.postMessage(null);
  });
}

function contextOf(id: number): Context {
  return {
    progress: (fraction) => send({ type: "progress", id, fraction }),
    async breathe() {
      await tick();
      if (cancelled.has(id)) throw new Cancelled();
    },
  };
}

/** The buffers of the typed arrays in a reply: moved to the page, not copied. */
function buffers(value: unknown, found = new Set<Transferable>()): Transferable[] {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (Array.isArray(value) && typeof value[0] !== "string") for (const part of value) buffers(part, found);
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) buffers(part, found);
  return [...found];
}

function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Cancelled) return { kind: "cancelled", message: "Cancelled.", hint: "Nothing was changed." };
  if (thrown instanceof WebAssembly.RuntimeError) {
    return {
      kind: "internal",
      message: `Afresh met a bug of its own: ${lastPanic() ?? thrown.message}`,
      hint: "Your data and settings were kept and the engine was started again. Please report this text.",
    };
  }
  const { kind, message, hint, row, column } = thrown as Partial<Problem>;
  if (kind === undefined)
    return { kind: "internal", message: String(message ?? thrown), hint: "Please report this text." };
  return {
    kind,
    message: message ?? "",
    hint: hint ?? "",
    ...(row !== undefined && { row }),
    ...(column !== undefined && { column }),
  };
}

async function answer(id: number, name: CallName, argument: unknown) {
  try {
    const handler = calls[name] as (argument: unknown, context: Context) => unknown;
    const value = await handler(argument, contextOf(id));
    send({ type: "reply", id, value }, buffers(value));
  } catch (thrown) {
    send({ type: "problem", id, problem: problemOf(thrown) });
  } finally {
    cancelled.delete(id);
  }
}

scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "start") initSync({ module: data.module });
  else if (data.type === "cancel") cancelled.add(data.id);
  else void answer(data.id, data.name, data.argument);
};
