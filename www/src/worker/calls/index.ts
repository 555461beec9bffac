/**
 * Every question that the page can ask, as a table: name → handler(argument, context). The files of this folder alone touch
 * the wasm module. A later lab adds its own file here and is typed from end to end at once.
 */
import { freshSeed, rehearsePanic } from "afresh";
import { allocateCalls } from "./allocate";
import { dataCalls } from "./data";
import { planCalls } from "./plan";
import { probeCalls } from "./probe";
import { replayCalls } from "./replay";

export const calls = {
  ...dataCalls,
  ...planCalls,
  ...allocateCalls,
  ...replayCalls,
  ...probeCalls,
  freshSeed: () => freshSeed(),
  rehearsePanic: ({ text }: { text: string }) => rehearsePanic(text),
};
