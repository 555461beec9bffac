/** The files of the examples: shipped beside the page, fetched one at a time, handed to the engine. */
import { ProblemError } from "../worker/engine";

const addresses = import.meta.glob<string>("../../../crate/src/ingest/examples/**/*.{csv,csv.gz}", {
  query: "?url",
  import: "default",
  eager: true,
});

/** What has been fetched, so that a replaced worker can be given it again even when the network is gone. */
const fetched = new Map<string, Promise<Uint8Array>>();

/** The bytes of an example's file, which is named for the example; none for an example that is computed. */
export async function exampleBytes(name: string): Promise<Uint8Array | undefined> {
  const path = Object.keys(addresses).find((file) => file.includes(`/examples/${name}.`));
  if (path === undefined) return undefined;
  const bytes = fetched.get(name) ?? fetchBytes(addresses[path] ?? "");
  fetched.set(name, bytes);
  try {
    return await bytes;
  } catch (thrown) {
    fetched.delete(name); // it may be tried again
    throw new ProblemError({
      kind: "format",
      message: `The example “${name}” could not be fetched: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      hint: "Check the connection and choose it again, or use a file of your own.",
    });
  }
}

async function fetchBytes(address: string): Promise<Uint8Array> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
