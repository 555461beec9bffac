/** Where the wasm comes from, when it is not beside this file. */
export type Source = URL | string | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the WebAssembly; call it once, before anything else. Without an argument it finds `afresh_bg.wasm` beside this file, in
 * a page (by fetch) and in Node (from the disk).
 */
export default function init(source?: Source | Promise<Source> | { module_or_path: Source | Promise<Source> }): Promise<unknown>;

/** Loads the WebAssembly from bytes or a compiled module, at once. */
export function initSync(source: { module: BufferSource | WebAssembly.Module }): unknown;
