// What other people import: the bindings, with an init() that finds the wasm by itself in a page and in Node.
import initialise from "./bindings.js";
export * from "./bindings.js";

let ready;

export default function init(source) {
  ready ??= load(source).catch((cause) => {
    ready = undefined; // a failed load may be tried again
    throw cause;
  });
  return ready;
}

async function load(source) {
  const given = source?.module_or_path ?? source ?? new URL("afresh_bg.wasm", import.meta.url);
  const resolved = await given;
  // Node's fetch does not read files.
  const isFile = resolved instanceof URL && resolved.protocol === "file:" && typeof process === "object";
  const input = isFile ? (await import("node:fs/promises")).readFile(resolved) : resolved;
  return initialise({ module_or_path: await input });
}
