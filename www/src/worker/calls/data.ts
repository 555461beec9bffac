/** What every lab asks about its data: the examples, and files on their way in. */
import { Table, examples, type PlanTable } from "afresh";
import type { LabId } from "../../sharing/address";
import type { Context } from "../protocol";
import { tableOf, tables } from "./tables";

export const dataCalls = {
  examples: () => examples(),

  /** Reads a file or a pasted text; the data in use stay until `accept`. */
  async read({ lab, name, content }: { lab: LabId; name: string; content: Blob | string }, context: Context) {
    const blob = typeof content === "string" ? new Blob([content]) : content;
    const next = tables[lab].bring(await tableOf(name, blob, context));
    return { understood: next.understood(), fingerprint: next.fingerprint };
  },

  /** The same for a table that came inside a plan. */
  unfold: ({ lab, table }: { lab: LabId; table: PlanTable }) => ({
    understood: tables[lab].bring(Table.fromPlan(table)).understood(),
  }),
  discard: ({ lab }: { lab: LabId }) => tables[lab].discard(),
};
