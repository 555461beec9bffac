import { describe, expect, test } from "vitest";
import { cellText, markdownTable } from "./markdown";

describe("tables as Markdown", () => {
  test("numbers stand right", () => {
    expect(markdownTable([{ name: "id" }, { name: "share", right: true }], [["numpy", "3 %"]])).toBe(
      "| id | share |\n| --- | ---: |\n| numpy | 3 % |\n",
    );
  });
  test("a name stays in its cell and means nothing", () => {
    expect(cellText("a|b\nc\r\n| d")).toBe("a\\|b c  \\| d");
    expect(cellText("*x* _y_ `z` [l](u) <b> & \\")).toBe("\\*x\\* \\_y\\_ \\`z\\` \\[l\\](u) &lt;b> &amp; \\\\");
  });
  test("every row has a cell for each column", () => {
    const table = markdownTable([{ name: "a" }, { name: "b" }], [["1"], ["1", "2", "3"]]);
    for (const line of table.trim().split("\n")) expect(line.split(" | ").length).toBe(2);
  });
});
