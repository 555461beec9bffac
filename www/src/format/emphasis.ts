/** Which parts of a sentence matter most: its numbers with their units, and a name that it is about. */

export interface Part {
  text: string;
  is: "plain" | "number" | "name";
}

const NUMBER = "[−-]?\\d+(?:,\\d{3})*(?:\\.\\d+)?(?:[ \\u00a0\\u202f](?:%|(?:points?|days?|visits?)(?!\\p{L})))?";

/** The sentence in parts that together are all of it. A number inside a word, as in `web2py`, is none. */
export function emphasised(sentence: string, name: string): Part[] {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:(?<name>${literal})|${NUMBER})(?![\\p{L}\\p{N}_-])`, "gu");
  const parts: Part[] = [];
  let end = 0;
  for (const match of sentence.matchAll(found)) {
    parts.push({ text: sentence.slice(end, match.index), is: "plain" });
    parts.push({ text: match[0], is: match.groups?.["name"] === undefined ? "number" : "name" });
    end = match.index + match[0].length;
  }
  parts.push({ text: sentence.slice(end), is: "plain" });
  return parts.filter(({ text }) => text !== "");
}
