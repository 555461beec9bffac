/** The labs that exist, in the order of the navigation. A new lab adds a line here and nothing else in the shell. */
import type { Component } from "svelte";
import { read, type LabId } from "../sharing/address";
import Allocate from "../labs/allocate/Allocate.svelte";
import Probe from "../labs/probe/Probe.svelte";
import Replay from "../labs/replay/Replay.svelte";

export interface Lab {
  /** The route: `#allocate`. */
  id: LabId;
  name: string;
  component: Component;
}

export const labs = [
  { id: "allocate", name: "Allocate", component: Allocate },
  { id: "replay", name: "Replay", component: Replay },
  { id: "probe", name: "Probe", component: Probe },
] as const satisfies Lab[];

/** The lab that the page's address names. */
export function labOf(address: Pick<Location, "hash" | "pathname" | "search">): Lab {
  const { lab } = read(address);
  return labs.find(({ id }) => id === lab) ?? labs[0];
}
