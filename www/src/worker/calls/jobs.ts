/** Long work inside the wasm, done in slices between which messages are let in. */
import type { Progress } from "afresh";
import type { Context } from "../protocol";

/** A long piece of work inside wasm. */
interface Job<T> {
  step(): Progress;
  finish(): T;
  free(): void;
}

/** How long a job may keep the worker before messages are let in, in milliseconds. */
const SLICE = 12;

export async function drive(job: { step(): Progress }, context: Context, from = 0, to = 1): Promise<void> {
  for (let until = performance.now() + SLICE; ;) {
    const { fraction, done } = job.step();
    if (done) return;
    if (performance.now() < until) continue;
    context.progress(from + (to - from) * fraction);
    await context.breathe();
    until = performance.now() + SLICE;
  }
}

export async function run<T>(job: Job<T>, context: Context, from = 0, to = 1): Promise<T> {
  let finished = false;
  try {
    await drive(job, context, from, to);
    finished = true;
    return job.finish();
  } finally {
    if (!finished) job.free();
  }
}
