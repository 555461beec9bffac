/**
 * The Content-Security-Policy of the built pages, in a meta tag because any static host must do. It makes "nothing leaves
 * the tab" something to check: no address but the page's own may be asked for anything, not even by a bug.
 */
import type { Plugin } from "vite";

interface Sources {
  script: string;
  style: string;
  worker: string;
  connect: string;
  image: string;
}

export function policyTag({ script, style, worker, connect, image }: Sources): string {
  const policy = [
    "default-src 'none'",
    `script-src ${script} 'wasm-unsafe-eval'`,
    // Plot writes style elements into its drawings.
    `style-src ${style} 'unsafe-inline'`,
    // The engine starts from a blob because such a worker obeys its page's policy; one with an address would have its own.
    `worker-src ${worker} blob:`,
    `connect-src ${connect}`,
    `img-src ${image} data: blob:`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${policy.join("; ").replace(/ +/g, " ")}" />`;
}

/** Puts the policy before everything that it should hold for. */
export function withPolicy(html: string, sources: Sources): string {
  return html.replace(/<meta charset="[^"]*"\s*\/?>/, (charset) => `${charset}\n    ${policyTag(sources)}`);
}

/** The hosted page: its own origin only. */
export function hostedPolicy(): Plugin {
  const self = "'self'";
  return {
    name: "hosted-policy",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) => withPolicy(html, { script: self, style: self, worker: self, connect: self, image: self }),
    },
  };
}
