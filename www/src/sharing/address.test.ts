import { describe, expect, test } from "vitest";
import { read } from "./address";

const at = (address: string) => read(new URL(address, "https://afresh.example/any/"));

describe("an address", () => {
  test("names a lab, or a lab and a plan, or nothing", () => {
    expect(at("#allocate/p1.AbC-_9")).toEqual({ lab: "allocate", link: "p1.AbC-_9" });
    expect(at("#allocate")).toEqual({ lab: "allocate", link: undefined });
    expect(at("#allocate/")).toEqual({ lab: "allocate", link: undefined });
    expect(at("")).toEqual({ lab: "allocate", link: undefined });
    expect(at("#p1.AAAA")).toEqual({ lab: "allocate", link: "p1.AAAA" });
  });

  test("is understood however often it was percent-encoded", () => {
    const plan = { lab: "allocate", link: "p1.AbC-_9" };
    expect(at("#allocate%2Fp1.AbC-_9")).toEqual(plan);
    expect(at("#allocate%252Fp1%252EAbC-_9")).toEqual(plan);
    expect(at("#%23allocate/p1.AbC-_9")).toEqual(plan);
    expect(at("index.html%23allocate/p1.AbC-_9")).toEqual(plan);
    expect(at("?from=mail%23allocate%2Fp1.AbC-_9")).toEqual(plan);
    expect(at("?from=mail%2523allocate%252Fp1.AbC-_9")).toEqual(plan);
  });

  test("of an unknown lab opens the first", () => {
    expect(at("#teleport/p1.AAAA")).toEqual({ lab: "allocate", link: "p1.AAAA" });
  });

  test("with a stray percent sign is left as it is", () => {
    expect(at("#allocate/p1.100%")).toEqual({ lab: "allocate", link: "p1.100%" });
  });
});
