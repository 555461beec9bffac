/** Plans as links and as files. */
import { checkPlan, decodePlan, encodePlan, type Meaning, type Plan, type Problem } from "afresh";
import type { LabId } from "../../sharing/address";
import { tablesApart } from "../../sharing/apart";
import { tablesBeside } from "./probe";
import { tables } from "./tables";

/** A plan as the page has it: what its data are made from lies here, in the worker. */
export interface PlanSketch {
  lab: LabId;
  knobs: Plan["knobs"];
  data: { example: string } | { mapping: Meaning; dropBad: boolean };
  /** How many tables there are beside the data. */
  beside?: number;
}

/** The bytes of cells that are tried in a link, and those that are put into a saved plan. */
const CELLS_IN_LINK = 1 << 17;
const CELLS_IN_FILE = 1 << 24;

function complete({ lab, knobs, data, beside = 0 }: PlanSketch, most: number, mostBeside = most): Plan {
  return {
    lab,
    data: "example" in data ? data : { table: tables[lab].used.get().toPlan(data.mapping, data.dropBad, most) },
    ...(knobs !== undefined && { knobs }),
    ...(beside > 0 && { beside: tablesBeside(mostBeside) }),
  };
}

/** Plans as files: the same document, laid out for a reader, each column's cells on one line. */
const FILE_FORMAT = 1;

function written({ lab, data, knobs, beside }: Plan): string {
  const lists: string[] = [];
  const text = JSON.stringify(
    { afresh: FILE_FORMAT, lab, knobs, data, beside },
    (key, value: unknown) => (key === "cells" ? `@${lists.push(JSON.stringify(value)) - 1}@` : value),
    2,
  );
  return `${text.replace(/"cells": "@(\d+)@"/g, (_, at: string) => `"cells": ${lists[Number(at)]}`)}\n`;
}

function readFile(text: string): Plan {
  let file: { afresh?: unknown } & Plan;
  try {
    file = JSON.parse(text) as typeof file;
  } catch (cause) {
    throw {
      kind: "format",
      message: `the plan is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: "Open a file that was saved as a plan, unchanged or carefully edited.",
    } satisfies Problem;
  }
  const { afresh, ...plan } = file ?? {};
  if (typeof afresh !== "number")
    throw {
      kind: "format",
      message: 'the file is no plan of Afresh: it does not say `"afresh": 1`',
      hint: "Open a file that was saved as a plan; a table of items goes into the data panel.",
    } satisfies Problem;
  if (afresh > FILE_FORMAT)
    throw {
      kind: "version",
      message: `the plan was saved by a newer Afresh: it is of format ${afresh}, and this version reads up to ${FILE_FORMAT}`,
      hint: "Reload the page to get the newest version, then open the plan again.",
    } satisfies Problem;
  return checkPlan(plan);
}

export const planCalls = {
  /** The text of the plan's link, and whether its data travel inside it: all, or the table alone, or none. */
  link(sketch: PlanSketch) {
    for (const [most, mostBeside] of [
      [CELLS_IN_LINK, CELLS_IN_LINK],
      [CELLS_IN_LINK, 0],
    ] as const) {
      const plan = complete(sketch, most, mostBeside);
      try {
        return { text: encodePlan(plan), whole: tablesApart(plan).length === 0 };
      } catch (thrown) {
        if ((thrown as Partial<Problem>).kind !== "size") throw thrown;
      }
    }
    return { text: encodePlan(complete(sketch, 0)), whole: false };
  },
  /** The link of a plan as it stands. */
  relink: (plan: Plan) => encodePlan(plan),
  openLink: ({ text }: { text: string }) => decodePlan(text),
  planFile: (sketch: PlanSketch) => written(complete(sketch, CELLS_IN_FILE)),
  openPlanFile: ({ text }: { text: string }) => readFile(text),
};
