/** Asks for the wasm while the script is still on its way: the first plan needs both. */
import type { Plugin } from "vite";

export function preloadWasm(): Plugin {
  return {
    name: "preload-wasm",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => file.endsWith(".wasm"))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", as: "fetch", crossorigin: "", href: `./${file}` },
            injectTo: "head",
          })),
    },
  };
}
