/** The tables that the labs' data are made from. */
import { Reading, type LogColumns, type Mapper, type RelationJob, type Table } from "afresh";
import type { LabId } from "../../sharing/address";
import type { Context } from "../protocol";
import { Slot, type Freeable } from "./held";
import { run } from "./jobs";

/**
 * The tables of a lab: the one that its data in use were made from, and one on its way in, which replaces it only once it is
 * valid and the person has agreed to what is dropped.
 */
class Tables<Mapped extends Freeable> {
  readonly used = new Slot<Table>("No file has been read yet.");
  readonly #incoming = new Slot<Table>("No file has been read yet.");
  /** The newest table with its columns mapped, to be taken or not. */
  readonly mapped = new Slot<Mapped>("No columns have been mapped yet.");

  bring(next: Table): Table {
    this.mapped.clear();
    return this.#incoming.put(next);
  }

  /** Without a new file it is the one in use whose columns are looked at again. */
  get newest(): Table {
    return (this.#incoming.filled ? this.#incoming : this.used).get();
  }

  accept() {
    if (this.#incoming.filled) this.used.put(this.#incoming.take());
  }

  discard() {
    this.mapped.clear();
    this.#incoming.clear();
  }

  /** The data in use come from no table. */
  clear() {
    this.discard();
    this.used.clear();
  }
}

/** A log as columns, which live outside the wasm. */
interface MappedLog extends Freeable {
  columns: LogColumns;
}

export const tables = {
  allocate: new Tables<Mapper>(),
  replay: new Tables<MappedLog>(),
  probe: new Tables<RelationJob>(),
} satisfies Record<LabId, Tables<Freeable>>;

/** A file as a table of cells. */
export async function tableOf(name: string, content: Blob, context: Context, from = 0, to = 1): Promise<Table> {
  const reading = new Reading(name, content.size);
  const pushing = from + 0.4 * (to - from);
  let pushed = false;
  try {
    const reader = content.stream().getReader();
    for (let read = 0; ;) {
      const { value, done } = await reader.read();
      if (done) break;
      reading.push(value);
      read += value.length;
      context.progress(from + ((pushing - from) * read) / content.size);
      await context.breathe();
    }
    reading.end();
    pushed = true;
  } finally {
    if (!pushed) reading.free();
  }
  return run(reading, context, pushing, to);
}
