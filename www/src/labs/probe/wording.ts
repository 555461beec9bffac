/** The Probe lab's words: what a column means, where a count comes from, and who sends what over time. */
import type { ContentFreshnessReply, RelationRole, ProbeQuery } from "afresh";
import type { Look } from "../../chart";

export const relationRoleNames: Record<RelationRole, string> = {
  ignore: "Not used",
  id: "Name",
  whole: "Keyword: the whole cell",
  list: "Keywords: a list",
  words: "Keywords: each word",
  weight: "Weight",
  rate: "Changes per …",
  interval: "Changes every …",
  "last-sync": "Last sync",
  changes: "Number of changes, in a …",
  history: "Times of changes",
  watched: "Watched for so many …",
  since: "Watched since",
};

/** Roles whose numbers mean nothing without a unit of time. */
export const timedRoles: ReadonlySet<string> = new Set<RelationRole>(["rate", "interval", "changes", "watched"]);

export const sourceWords: Record<ProbeQuery["source"], { name: string; is: string }> = {
  given: { name: "server", is: "the server's own count" },
  margins: { name: "margins", is: "estimated from the sample, held to the server's counts of the single keywords" },
  sample: { name: "sample", is: "the sample's count times its factor" },
  independence: { name: "independent", is: "estimated as if the keywords were independent of each other" },
  local: { name: "this table", is: "nothing is known of it: as many as in this table" },
};

export const runWords: Record<Exclude<keyof ContentFreshnessReply, "time">, { name: string; look: Look }> = {
  naive1: { name: "Naive 1: all by ID", look: { colour: "var(--uniform)", dash: "7 3", symbol: "square" } },
  naive2: { name: "Naive 2: the slow by ID", look: { colour: "var(--proportional)", dash: "2 3", symbol: "triangle" } },
  greedy: { name: "Queries in turn", look: { colour: "var(--greedy)", dash: "4 4", symbol: "plus" } },
  cubeRoot: { name: "Queries at cube-root", look: { colour: "var(--root)", dash: "none", symbol: "cross" } },
};

export const runs = ["naive1", "naive2", "greedy", "cubeRoot"] as const;
