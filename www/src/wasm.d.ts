/** The address of the wasm file, given by Vite. */
declare module "afresh/wasm?url" {
  const address: string;
  export default address;
}

/** The wasm file gzipped, as a data: address, given by plugins/onefile.ts. */
declare module "afresh/wasm?gzip" {
  const address: string;
  export default address;
}
