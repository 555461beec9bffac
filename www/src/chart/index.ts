export { axis, extent, leastPositive, timeUnit } from "./axes";
export { default as Chart } from "./Chart.svelte";
export type { Draw, EndLabel, Frame, Marker } from "./Chart.svelte";
export { default as ChartGrid } from "./ChartGrid.svelte";
export { dots } from "./dots";
export { policies, policyLook, policyName, policyPhrase, type Look } from "./palette";
export type { Series } from "./series";
export type { Column } from "./table";
export { save } from "./takeaway";
