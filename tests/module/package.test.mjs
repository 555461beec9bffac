import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import afresh from "./afresh.mjs";

const file = (name) => readFile(new URL(`../../dist/module/${name}`, import.meta.url), "utf8");

test("the package names its parts and they are there", async () => {
  const about = JSON.parse(await file("package.json"));
  assert.equal(about.name, "afresh");
  assert.match(about.version, /^\d+\.\d+\.\d+$/);
  for (const part of [about.main, about.types, "afresh_bg.wasm", "LICENSE-MIT", "LICENSE-APACHE"])
    assert.ok(await file(part));
});

test("every export is documented in the type declaration", async () => {
  const declared = await file("afresh.d.ts");
  const lines = declared.split("\n");
  const bare = lines.filter(
    (line, i) => /^export (default )?(function|class|interface|type)/.test(line) && !/\*\/\s*$/.test(lines[i - 1]),
  );
  assert.deepEqual(bare, []);
  assert.ok(!/export function start\b/.test(declared), "the module's own start is not for callers");
  for (const name of ["allocate", "tradeoff", "frequencyCurve", "timetable", "simulate"]) {
    assert.match(declared, new RegExp(`export function ${name}\\(request: \\w+Request\\): \\w+Reply;`));
  }
});

test("a panic's text is kept for the page to show", async () => {
  // A second instance, because a panic ends the one it happens in.
  const bindings = await import("../../dist/module/bindings.js?drill");
  bindings.initSync({ module: await readFile(new URL("../../dist/module/afresh_bg.wasm", import.meta.url)) });
  const { error } = console;
  console.error = () => {};
  try {
    assert.throws(() => bindings.rehearsePanic("the roof is on fire"), WebAssembly.RuntimeError);
  } finally {
    console.error = error;
  }
  assert.match(bindings.lastPanic(), /the roof is on fire/);
  assert.equal(afresh.lastPanic(), undefined);
});

test("seeds are fresh and short", () => {
  const seeds = new Set(Array.from({ length: 20 }, () => afresh.freshSeed()));
  assert.ok(seeds.size > 15);
  for (const seed of seeds) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
});
