/** What the page's address says: which lab, and which plan, if any. */

/** Undoes percent-encoding, however often a chat applied it; what is not valid stays as it is. */
function plain(text: string): string {
  for (let k = 0; k < 4 && text.includes("%"); k++) {
    try {
      text = decodeURIComponent(text);
    } catch {
      break;
    }
  }
  return text;
}

/**
 * The part behind the `#`. Some programs write the `#` of an address as `%23`, and it then stands in what they take for
 * the path or the query.
 */
function fragment({ hash, pathname, search }: Pick<Location, "hash" | "pathname" | "search">): string {
  if (hash.length > 1) return plain(hash).replace(/^#+/, "");
  const rest = [search, pathname].map(plain).find((part) => part.includes("#")) ?? "#";
  return rest.slice(rest.lastIndexOf("#") + 1);
}

/** The labs by their names in addresses; an address that names none opens the first. */
export const LABS = ["allocate", "replay", "probe"] as const;
export type LabId = (typeof LABS)[number];

/** `#allocate/p1.…` → the lab and the text of the link; no link where the address names only a lab. */
export function read(address: Pick<Location, "hash" | "pathname" | "search">): {
  lab: LabId;
  link: string | undefined;
} {
  const text = fragment(address);
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(0, slash);
  // A bare payload, pasted behind the # without its lab, is a link too.
  const link = /^p\d+\./.test(name) ? name : slash < 0 ? "" : text.slice(slash + 1);
  return { lab: LABS.find((lab) => lab === name) ?? LABS[0], link: link === "" ? undefined : link };
}

/** The address of a plan. */
export function written(lab: LabId, link: string): string {
  return `#${lab}/${link}`;
}
