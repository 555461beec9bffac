/** The engine's code, fetched from beside the page. */
import address from "afresh/wasm?url";

export async function compile(): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compileStreaming(fetch(address));
  } catch {
    // Some static hosts serve .wasm with the wrong content type, which streaming refuses.
    return WebAssembly.compile(await (await fetch(address)).arrayBuffer());
  }
}
