import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `dist/` also holds the module that the page is built from, so only the page's own old files may be cleared. */
const clearOldAssets: Plugin = {
  name: "clear-old-assets",
  apply: "build",
  buildStart() {
    rmSync(here("../dist/assets"), { recursive: true, force: true });
  },
};

export default defineConfig({
  // Relative addresses, so that `dist/` works from any sub-path of any host.
  base: "./",
  plugins: [svelte(), clearOldAssets],
  resolve: {
    alias: [
      { find: /^afresh$/, replacement: here("../dist/module/bindings.js") },
      { find: /^afresh\/wasm/, replacement: here("../dist/module/afresh_bg.wasm") },
    ],
  },
  // A classic worker is the only kind that also starts from a file opened by double click.
  worker: { format: "iife" },
  build: {
    assetsInlineLimit: 0,
    outDir: "../dist",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: { polyfill: false },
  },
  server: { fs: { allow: [here("..")] } },
});
