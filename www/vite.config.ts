import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";
import { offline } from "./plugins/offline.ts";
import { gzipped, oneFile } from "./plugins/onefile.ts";
import { hostedPolicy } from "./plugins/policy.ts";
import { preloadWasm } from "./plugins/preload.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `dist/` also holds the module that the page is built from, so only the page's own old files may be cleared. */
const clearOldAssets: Plugin = {
  name: "clear-old-assets",
  apply: "build",
  buildStart() {
    rmSync(here("../dist/assets"), { recursive: true, force: true });
  },
};

/** Two builds of one source: the hosted page, and with `--mode single` the same as one file. */
export default defineConfig(({ mode }) => {
  const single = mode === "single";
  return {
    // Relative addresses, so that `dist/` works from any sub-path of any host.
    base: "./",
    plugins: [
      svelte(),
      ...(single ? [gzipped(), oneFile("afresh.html")] : [clearOldAssets, preloadWasm(), hostedPolicy(), offline()]),
    ],
    resolve: {
      alias: [
        { find: /^afresh$/, replacement: here("../dist/module/bindings.js") },
        { find: /^afresh\/wasm/, replacement: here("../dist/module/afresh_bg.wasm") },
        { find: /^#compile$/, replacement: here(`src/worker/compile.${single ? "single" : "hosted"}.ts`) },
      ],
    },
    // A classic worker is the only kind that also starts from a file opened by double click.
    worker: { format: "iife" },
    build: {
      assetsInlineLimit: single ? Infinity : 0,
      outDir: "../dist",
      emptyOutDir: false,
      target: "es2022",
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: single ? here("index.html") : { index: here("index.html"), sw: here("src/offline/sw.ts") },
        // A service worker must keep its address from version to version.
        output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
      },
    },
    server: { fs: { allow: [here("..")] } },
  };
});
