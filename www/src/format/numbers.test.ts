import { describe, expect, test } from "vitest";
import {
  counted,
  duration,
  every,
  parseNumber,
  percent,
  percentTick,
  points,
  quantity,
  scientific,
  visitsADay,
} from "./numbers";

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe("numbers as a person reads them", () => {
  test("a quantity keeps three digits and whole thousands", () => {
    expect([1697, 240, 0.041234, 0, 12.345].map((v) => quantity(v))).toEqual(["1,697", "240", "0.0412", "0", "12.3"]);
  });
  test("the tiny and the undefined are named, not printed as code", () => {
    expect(plain(scientific(3.1e-15))).toBe("3 × 10⁻¹⁵");
    expect(quantity(Infinity)).toBe("unbounded");
    expect(quantity(NaN)).toBe("undefined");
  });
  test("a share never rounds to an end that it does not reach", () => {
    expect([0.961, 0.99974, 1, 0, 0.00004].map((v) => plain(percent(v)))).toEqual([
      "96.1 %",
      "99.97 %",
      "100 %",
      "0 %",
      "0.004 %",
    ]);
  });
  test("shares in a column keep their decimals, on an axis they are round", () => {
    expect(plain(percent(0.6))).toBe("60.0 %");
    expect(plain(percentTick(0.6))).toBe("60 %");
  });
  test("a difference of shares is in points", () => {
    expect(points(0.0244)).toBe("2.4");
  });
  test("durations choose the unit that suits them", () => {
    expect([1 / 24, 20 / 24, 3.21, 14, 120, 1000].map((v) => plain(duration(v)))).toEqual([
      "1 hour",
      "20 hours",
      "3.2 days",
      "14 days",
      "3.9 months",
      "2.7 years",
    ]);
  });
  test("a frequency reads as an interval", () => {
    expect([0, 1, 24, 0.3125].map((v) => plain(every(v)))).toEqual([
      "never",
      "every day",
      "every hour",
      "every 3.2 days",
    ]);
  });
  test("one is singular", () => {
    expect(plain(visitsADay(1))).toBe("1 visit a day");
    expect(plain(counted(1, "package", "packages"))).toBe("1 package");
  });
  test("a typed number may use either decimal sign, groups or a percent sign", () => {
    expect(["1,000", "0,5", "0.5", "1e3", "95 %", "−2", "abc", ""].map(parseNumber)).toEqual([
      1000,
      0.5,
      0.5,
      1000,
      95,
      -2,
      undefined,
      undefined,
    ]);
  });
});
