/**
 * `?embed` shows a lab's charts alone, for a frame on another page; `?embed=curve` shows that one chart. An embedded page
 * is a guest: it stores nothing, rewrites no address and registers no service worker.
 */
const query = new URLSearchParams(location.search);

export const embedded = query.has("embed");

/** The one chart that was asked for; all of them if none is named. */
export const embeddedChart = query.get("embed") || undefined;

/** The same address with the whole page around the charts. */
export function wholePage(): string {
  const address = new URL(location.href);
  address.searchParams.delete("embed");
  return address.href;
}
