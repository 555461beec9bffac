// Serves a folder on a free port (or the one given), under any sub-path: node serve.mjs FOLDER [PORT] [SUB-PATH]
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";

const [folder = "dist", port = "0", mount = "/"] = process.argv.slice(2);
const root = resolve(folder);
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".ts": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

async function find(path) {
  if (!path.startsWith(mount)) return undefined;
  const file = normalize(join(root, path.slice(mount.length) || "index.html"));
  if (file !== root && !file.startsWith(root + sep)) return undefined;
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) return find(`${path.replace(/\/$/, "")}/index.html`);
  return found && { file, size: found.size };
}

const server = createServer(async (request, response) => {
  let path;
  try {
    path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  } catch {
    response.writeHead(400).end("bad request");
    return;
  }
  const found = await find(path);
  if (!found) {
    response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    return;
  }
  const type = TYPES[extname(found.file)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "content-length": found.size, "cache-control": "no-cache" });
  if (request.method === "HEAD") response.end();
  else createReadStream(found.file).pipe(response);
});

server.listen(Number(port), "127.0.0.1", () => {
  console.log(`serving ${folder} at http://localhost:${server.address().port}${mount}`);
});
