/** The address of the wasm file, given by Vite. */
declare module "afresh/wasm?url" {
  const address: string;
  export default address;
}
