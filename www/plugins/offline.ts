/** Tells the service worker which files make up this build, and gives the build a version: the hash of them all. */
import { createHash } from "node:crypto";
import type { Plugin } from "vite";

const WORKER = "sw.js";

export function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = bundle[WORKER];
      if (worker?.type !== "chunk") this.error(`${WORKER} is not in the build`);
      const files = Object.values(bundle).filter((file) => file !== worker);
      const hash = createHash("sha256");
      for (const file of files.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)))
        hash.update(file.fileName).update(file.type === "chunk" ? file.code : file.source);
      const assets = files.map(({ fileName }) => fileName).filter((name) => name !== "index.html");
      const version = hash.update(worker.code).digest("hex").slice(0, 16);
      worker.code = `const VERSION=${JSON.stringify(version)},ASSETS=${JSON.stringify(assets)};\n${worker.code}`;
    },
  };
}
