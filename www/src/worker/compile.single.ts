/** The engine's code, unpacked from inside the one file. */
import address from "afresh/wasm?gzip";

export async function compile(): Promise<WebAssembly.Module> {
  const packed = (await fetch(address)).body;
  if (packed === null) throw new Error("the file is damaged");
  const unpacked = packed.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "content-type": "application/wasm" } }));
}
