import { describe, expect, test } from "vitest";
import { emphasised } from "./emphasis";

const said = (sentence: string, name: string) =>
  emphasised(sentence, name)
    .filter(({ is }) => is !== "plain")
    .map(({ text, is }) => `${is}: ${text}`);

describe("what a sentence emphasises", () => {
  const verdict =
    "Over the 365 days of the test cube-root kept 91.1 % up to date, 2.0 points more than visiting all alike. Its model had promised 86.0 %: the promise held.";
  test("its numbers with their units, and the name that it is about", () => {
    expect(said(verdict, "cube-root")).toEqual([
      "number: 365 days",
      "name: cube-root",
      "number: 91.1 %",
      "number: 2.0 points",
      "number: 86.0 %",
    ]);
  });
  test("nothing is lost and nothing is said twice", () => {
    const parts = emphasised(verdict, "cube-root");
    expect(parts.map(({ text }) => text).join("")).toBe(verdict);
    expect(emphasised("", "a")).toEqual([]);
  });
  test("a number ends where the sentence goes on", () => {
    expect(said("It took 20,650, then 1,204 daily; −3 is below 0.", "x")).toEqual([
      "number: 20,650",
      "number: 1,204",
      "number: −3",
      "number: 0",
    ]);
  });
  test("no part of a word is a number or a name", () => {
    expect(said("web2py and 3d and rate-optimal and optimally", "optimal")).toEqual([]);
    expect(said("a.b is no axb", "a.b")).toEqual(["name: a.b"]);
  });
});
