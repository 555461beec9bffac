/** Tables as Markdown, so that an answer can be pasted into an issue, a report or a chat. */

export interface MarkdownColumn {
  name: string;
  /** Numbers stand right. */
  right?: boolean;
}

/** Text that stays in its cell and means nothing to Markdown or HTML. */
export function cellText(text: string): string {
  return text
    .replace(/\p{Cc}|\u2028|\u2029/gu, " ")
    .replace(/[\\`*_[\]|~#]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .trim();
}

export function markdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ name }) => cellText(name))),
    line(columns.map(({ right }) => (right ? "---:" : "---"))),
    ...rows.map((cells) => line(columns.map((_, index) => cellText(cells[index] ?? "")))),
    "",
  ].join("\n");
}
