/** The labs that exist, in the order of the navigation. A new lab adds a line here and nothing else in the shell. */
import type { Component } from "svelte";
import Allocate from "../labs/allocate/Allocate.svelte";

export interface Lab {
  /** The route: `#allocate`. */
  id: string;
  name: string;
  component: Component;
}

export const labs = [{ id: "allocate", name: "Allocate", component: Allocate }] as const satisfies Lab[];

/** The lab that an address names; the first one for an address that names none. */
export function labOf(hash: string): Lab {
  const id = decodeURIComponent(hash).replace(/^#/, "").split("/")[0];
  return labs.find((lab) => lab.id === id) ?? labs[0];
}
