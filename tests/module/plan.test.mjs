import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import afresh, { problem } from "./afresh.mjs";

const { checkPlan, decodePlan, encodePlan } = afresh;
const literal = JSON.parse(await readFile(new URL("../links.json", import.meta.url), "utf8"));

test("links mean for ever what they meant when they were made", () => {
  for (const { about, link, plan } of literal) {
    assert.deepEqual(decodePlan(link), plan, about);
    assert.equal(encodePlan(plan), link, `${about}: a plan has one link`);
  }
});

test("a plan opens with every knob that it does not name at its usual value", () => {
  const plan = { lab: "allocate", data: { example: "packages" }, knobs: { budget: 50 } };
  const opened = decodePlan(encodePlan(plan));
  assert.equal(opened.knobs.metric, "freshness");
  assert.equal(opened.knobs.seed, 1);
  assert.deepEqual(checkPlan(plan), opened);
  assert.deepEqual(decodePlan(encodePlan({ lab: "allocate", data: { example: "packages" } })).data, plan.data);
});

test("columns are text, numbers or typed arrays, and numbers come back as numbers", () => {
  const columns = [
    { name: "id", role: "id", cells: ["a", "007", "é\n,"] },
    { name: "rate", role: "rate", cells: Float64Array.of(0.1, 1 / 3, 1e-7) },
    { name: "weight", role: "weight", cells: [1, 2.5, "n/a"] },
  ];
  const plan = { lab: "allocate", data: { table: { name: "x.csv", rows: 3, columns } } };
  const { table } = decodePlan(encodePlan(plan)).data;
  assert.deepEqual(
    table.columns.map(({ cells }) => cells),
    [
      ["a", "007", "é\n,"],
      [0.1, 1 / 3, 1e-7],
      [1, 2.5, "n/a"],
    ],
  );
});

test("tables beside the data travel inside or by their fingerprints, in a link of format 2", () => {
  const counts = {
    name: "counts.csv",
    rows: 2,
    header: true,
    columns: [
      { name: "keyword", role: "keyword", cells: ["web", "crawling"] },
      { name: "count", role: "count", cells: [900, 12] },
    ],
  };
  const far = {
    name: "far.csv",
    fingerprint: "0123456789abcdef",
    rows: 9e5,
    columns: [{ name: "w", role: "keyword" }],
  };
  const plan = { lab: "probe", data: { example: "probe/packages" }, beside: [counts, far] };
  const link = encodePlan(plan);
  assert.match(link, /^p2\./);
  const opened = decodePlan(link);
  assert.deepEqual(opened.beside[0].columns, counts.columns);
  assert.equal(opened.beside[1].fingerprint, far.fingerprint);
  assert.equal(encodePlan(opened), link);
  assert.match(encodePlan({ ...plan, beside: [] }), /^p1\./);
  problem(assert, () => encodePlan({ ...plan, beside: Array(21).fill(far) }), { kind: "field", column: "beside" });
  problem(assert, () => encodePlan({ ...plan, beside: [{ ...far, fingerprint: undefined }] }), {
    column: "fingerprint",
  });
  // What an older version would make of it, or an edit: a p2 is no p1.
  problem(assert, () => decodePlan(link.replace("p2.", "p1.")), { kind: "format" });
  problem(assert, () => decodePlan(link.replace("p2.", "p3.")), { kind: "version" });
});

test("a hundred items fit in 1,200 characters", () => {
  const hundred = (cell) => Array.from({ length: 100 }, (_, i) => cell(i));
  const columns = [
    { name: "page", role: "id", cells: hundred((i) => `https://example.org/articles/${i}`) },
    { name: "rate", role: "rate", cells: hundred((i) => Number((((i * 0.618034) % 1) * 3).toFixed(4))) },
    { name: "weight", role: "weight", cells: hundred((i) => 1 + ((i * 31) % 97)) },
  ];
  const link = encodePlan({
    lab: "allocate",
    data: { table: { name: "pages.csv", rows: 100, columns } },
    knobs: { budget: 40, metric: "age", timetableStart: 20775.958333333332, seed: 3141592653 },
  });
  assert.ok(`https://example.org/afresh/#allocate/${link}`.length <= 1_200, `${link.length}`);
});

test("addresses, lines and percent-encoding around a link are understood", () => {
  const [{ link, plan }] = literal;
  for (const text of [
    `#allocate/${link}`,
    `https://a.example/b/?embed#allocate/${link}`,
    `https://a.example/b/%23allocate%2F${link}`,
    encodeURIComponent(encodeURIComponent(`#allocate/${link}`)),
    `<https://a.example/#allocate/${link.slice(0, 20)}\n ${link.slice(20)}>.`,
  ])
    assert.deepEqual(decodePlan(text), plan, text);
});

test("what is wrong with a link or a plan is thrown with its place", () => {
  const [{ link }] = literal;
  problem(assert, () => decodePlan(link.slice(0, -5)), { kind: "format", message: /cut off: \d+ of \d+/ });
  problem(assert, () => decodePlan(`${link.slice(0, 12)}x${link.slice(13)}`), { kind: "format", message: /altered/ });
  problem(assert, () => decodePlan(link.replace("p1", "p3")), { kind: "version", message: /newer.*format 3/ });
  problem(assert, () => decodePlan("hello"), { kind: "format", message: /no plan/ });
  for (const odd of [undefined, null, 7, {}, []])
    problem(assert, () => decodePlan(odd), { kind: "field", message: /takes the text of a link/ });
  problem(assert, () => encodePlan(), { kind: "field" });
  const plan = { lab: "allocate", data: { example: "packages" }, knobs: {} };
  problem(assert, () => encodePlan({ ...plan, knob: {} }), { kind: "field", hint: /knobs/ });
  problem(assert, () => encodePlan({ ...plan, lab: "teleport" }), { kind: "version", column: "lab" });
  problem(assert, () => encodePlan({ ...plan, knobs: { bugdet: 1 } }), { kind: "field", hint: /budget/ });
  problem(assert, () => encodePlan({ ...plan, knobs: { budget: NaN } }), { kind: "value", column: "budget" });
  problem(assert, () => encodePlan({ ...plan, data: { exmaple: "x" } }), { kind: "field" });
  const table = { name: "x", rows: 2, columns: [{ name: "a", role: "rate", cells: [1] }] };
  problem(assert, () => encodePlan({ ...plan, data: { table } }), { kind: "length", column: "a" });
  problem(assert, () => encodePlan({ ...plan, data: { table: { ...table, row: 1 } } }), {
    kind: "field",
    hint: /rows/,
  });
  const cells = Array.from({ length: 5_000 }, (_, i) => Math.sqrt(i));
  const large = { name: "x", rows: 5_000, columns: [{ name: "a", role: "rate", cells }] };
  problem(assert, () => encodePlan({ ...plan, data: { table: large } }), { kind: "size", hint: /fingerprint/ });
});
