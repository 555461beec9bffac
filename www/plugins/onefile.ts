/**
 * The whole app as one HTML file that opens by double click. Styles and script stand inside it, files are data: addresses,
 * the wasm is gzipped. Own code rather than a package, because the policy needs the script's hash, which exists only here.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { withPolicy } from "./policy.ts";

/** `import address from "file?gzip"`: the file's gzip as a data: address, less than half the size of the plain one. */
export function gzipped(): Plugin {
  return {
    name: "gzipped",
    enforce: "pre",
    load(id) {
      const [path, query] = id.split("?");
      if (query !== "gzip" || path === undefined) return undefined;
      const packed = gzipSync(readFileSync(path), { level: 9 }).toString("base64");
      return `export default "data:application/gzip;base64,${packed}"`;
    },
  };
}

/**
 * What would end a script element or hide its end, written so that JavaScript reads the same. Both stand only inside
 * strings, templates and patterns: printers of JavaScript put a space into `a < !--b`.
 */
function insideScript(code: string): string {
  return code.replace(/<\/(?=script)/gi, "<\\/").replaceAll("<!--", "\\x3c!--");
}

export function oneFile(name: string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file) => file.fileName === "index.html");
      const scripts = files.filter((file) => file.type === "chunk");
      const styles = files.filter((file) => file.type === "asset" && file.fileName.endsWith(".css"));
      const [script] = scripts;
      if (page?.type !== "asset" || script === undefined || scripts.length > 1 || files.length !== styles.length + 2)
        this.error(`one file needs one page and one script, not ${Object.keys(bundle).join(", ")}`);
      const code = `\n${insideScript(script.code.trim())}\n`;
      const css = styles.map((file) => (file.type === "asset" ? String(file.source) : "")).join("\n");
      const hash = createHash("sha256").update(code).digest("base64");
      const html = String(page.source)
        .replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace("</head>", () => `  <style>\n${css.trim()}\n</style>\n  </head>`)
        .replace("</body>", () => `  <script type="module">${code}</script>\n  </body>`);
      page.source = withPolicy(html, {
        script: `'sha256-${hash}'`,
        style: "",
        worker: "",
        connect: "data:",
        image: "",
      });
      page.fileName = name;
      for (const file of [script, ...styles]) delete bundle[file.fileName];
    },
  };
}
