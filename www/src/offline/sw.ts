/**
 * The service worker of the hosted page: keeps the files of its own build, so that the second visit needs no network.
 * Everything that is not one of them passes by untouched.
 */

/** Written in front of this file at build (plugins/offline.ts). */
declare const VERSION: string;
declare const ASSETS: string[];

const worker = self as unknown as ServiceWorkerGlobalScope;
const home = worker.registration.scope;
// Other pages of the origin, another copy of Afresh among them, keep their own caches.
const mine = `afresh ${home} `;
const cacheName = mine + VERSION;
const assets = new Set(ASSETS.map((file) => new URL(file, home).href));

worker.addEventListener("install", (event) => {
  // The page goes by the folder's address: some hosts redirect index.html there, and a redirect may not answer a visit.
  const page = new Request(home, { cache: "no-cache" });
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll([page, ...assets])));
});

worker.addEventListener("activate", (event) => {
  const clear = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(mine) && name !== cacheName);
    await Promise.all(old.map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(clear());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const address = origin + pathname;
  const visit = request.mode === "navigate" && (address === home || address === `${home}index.html`);
  if (request.method !== "GET" || (!visit && !assets.has(address))) return;
  const answer = async () => {
    const cache = await caches.open(cacheName);
    return (await cache.match(visit ? home : address)) ?? fetch(request);
  };
  event.respondWith(answer());
});

/** The person agreed to the new version. */
worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

export {};
