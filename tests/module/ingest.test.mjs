import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import afresh, { near, problem } from "./afresh.mjs";

const EXAMPLES = new URL("../../crate/src/ingest/examples/", import.meta.url);
const KNOBS = { model: "poisson", metric: "freshness", order: "fixed", policy: "optimal" };
const BUDGET = { ...KNOBS, budget: 5 };
const bytes = (content) => (typeof content === "string" ? new TextEncoder().encode(content) : content);

function read(name, content) {
  const reading = new afresh.Reading(name);
  reading.push(bytes(content));
  reading.end();
  while (!reading.step().done);
  return reading.finish();
}

function map(table, mapping = table.mapping()) {
  const mapper = table.mapper(mapping);
  while (!mapper.step().done);
  return mapper;
}

const rows = (dataset) => dataset.rows({ sort: "row", descending: false, search: "", from: 0, count: 100 });

test("the same five elements, however they are written, give Table 5", () => {
  const list = [1, 2, 3, 4, 5];
  const objects = list.map((rate) => ({ id: `e${rate}`, rate }));
  const csv = ["id,rate", ...list.map((rate) => `e${rate},${rate}`)].join("\n");
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv, "utf16le")]);
  const files = {
    "a.csv": csv,
    "a.tsv": csv.replaceAll(",", "\t"),
    "bom.csv": `\ufeff${csv}`,
    "crlf.csv": csv.replaceAll("\n", "\r\n"),
    "semicolon.csv": csv.replaceAll(",", ";"),
    "quoted.csv": ["id,rate", ...list.map((rate) => `"e${rate}","${rate}"`)].join("\n"),
    "intervals.csv": ["id,interval_days", ...list.map((rate) => `e${rate},${1 / rate}`)].join("\n"),
    "utf16.csv": utf16,
    "a.json": JSON.stringify(objects),
    "columns.json": JSON.stringify({ id: objects.map(({ id }) => id), rate: list }),
    "a.jsonl": objects.map((object) => JSON.stringify(object)).join("\n"),
    "a.csv.gz": gzipSync(csv),
    "a.json.gz": gzipSync(JSON.stringify(objects)),
    "a.jsonl.gz": gzipSync(objects.map((object) => JSON.stringify(object)).join("\n")),
  };
  for (const [name, content] of Object.entries(files)) {
    const dataset = map(read(name, content)).finish(false);
    const { answer } = dataset.plan(BUDGET);
    near(assert, [answer.optimal.freshness], [0.3738886992743904]);
    assert.equal(answer.idleTooFast, 1, name);
    assert.deepEqual(rows(dataset).id, ["e1", "e2", "e3", "e4", "e5"], name);
  }
});

test("a mean interval in words is a rate: every 3 weeks is 1/21 a day", () => {
  const dataset = map(read("paces.csv", "page,changes\na,every 3 weeks\nb,daily\nc,2 per day\nd,never\n")).finish(
    false,
  );
  dataset.plan(BUDGET);
  near(assert, rows(dataset).rate, [1 / 21, 1, 2, 0], 1e-15);
});

test("addresses give hosts, and a cap on hosts holds", () => {
  const table = read(
    "pages.csv",
    "url,rate\nhttps://a.org/1,1\nhttps://a.org/2,2\nhttps://b.org/1,1\nhttps://b.org/2,2\n",
  );
  const dataset = map(table).finish(false);
  assert.equal(dataset.summary().hosts, 2);
  const { answer } = dataset.plan({ ...BUDGET, hostCap: 1 });
  near(assert, [answer.spent], [2]);
  assert.equal(answer.hostsAtCap, 2);
});

test("bad cells are named with row and column, and nothing is dropped unasked", () => {
  const table = read("bad.csv", "id;rate;weight\na;1,5;1\nb;fast;1\nc;2,5;heavy\nd;-1;2\n");
  const mapper = map(table);
  const report = mapper.report();
  assert.deepEqual([report.rows, report.badRows, report.badCells], [4, 3, 3]);
  assert.deepEqual(
    report.listed.map(({ row, column, text }) => [row, column, text]),
    [
      [3, "rate", "fast"],
      [4, "weight", "heavy"],
      [5, "rate", "-1"],
    ],
  );
  for (const { reason, hint } of report.listed) assert.ok(reason && hint);
  problem(assert, () => mapper.finish(false), { row: 3, column: "rate" });
  const kept = map(table).finish(true);
  kept.plan(BUDGET);
  assert.deepEqual(rows(kept).id, ["a"]);
});

test("the person's mapping wins over the guess", () => {
  const table = read("odd.csv", "x,y,z\na,7,1\nb,14,2\n");
  const mapping = { ...table.mapping(), roles: ["id", "interval", "weight"], units: [null, "days", null] };
  const dataset = map(table, mapping).finish(false);
  dataset.plan(BUDGET);
  near(assert, rows(dataset).rate, [1 / 7, 1 / 14], 1e-15);
  problem(assert, () => table.mapper({ ...mapping, roles: ["id", "ignore", "weight"] }), {});
  problem(assert, () => table.mapper({ ...mapping, rolls: [] }), { kind: "field", column: "rolls" });
});

test("what is not a table says what it is", () => {
  const cases = {
    "empty.csv": "",
    "header.csv": "id,rate\n",
    "image.csv": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    "book.xlsx": Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 6, 0),
    "cut.csv.gz": gzipSync("id,rate\na,1\n".repeat(1000)).subarray(0, 30),
    "cut.json": '[{"id": "a"',
    "deep.json": "[".repeat(100_000),
    "quote.csv": 'id,rate\n"a,1\nb,2\n',
    "ragged.json": '{"id": ["a", "b"], "rate": [1]}',
  };
  for (const [name, content] of Object.entries(cases)) {
    problem(
      assert,
      () => {
        const mapper = map(read(name, content));
        mapper.finish(false);
      },
      { message: /./ },
    );
  }
});

test("a small gzip of many zeros is refused for what it holds", () => {
  const bomb = gzipSync(Buffer.alloc(64 << 20), { level: 9 });
  assert.ok(bomb.length < 1 << 17);
  problem(assert, () => map(read("bomb.csv.gz", bomb)), {});
});

test("every example of items opens and can be laid out and simulated", () => {
  const list = afresh.examples();
  assert.equal(list.length, 12);
  for (const { name, source, file, split, search } of list) {
    if (split !== undefined || search !== undefined) continue;
    assert.ok(source.length > 3, `${name} says where it comes from`);
    const dataset = afresh.Dataset.example(name, file && readFileSync(new URL(file, EXAMPLES)));
    const { defaultBudget, rows: count } = dataset.summary();
    dataset.plan({ ...KNOBS, budget: defaultBudget });
    const scheduling = dataset.schedule({ horizon: 1, start: 20000 });
    while (!scheduling.step().done);
    const timetable = scheduling.finish();
    const { visits, maxLag } = timetable.summary();
    assert.ok(maxLag <= 1, `${name}: lag ${maxLag}`);
    assert.equal(JSON.parse(timetable.text("json")).length, visits);
    const simulating = dataset.simulate({ horizon: 1, seed: 1, runs: 20, points: 5 });
    while (!simulating.step().done);
    const run = simulating.finish();
    assert.ok(Math.abs(run.meanFreshness - run.predictedFreshness) < 0.1, name);
    assert.equal(dataset.text("csv").trim().split("\r\n").length, count + 1);
  }
  problem(assert, () => afresh.Dataset.example("nowhere"), { kind: "value", hint: /packages/ });
  problem(assert, () => afresh.Dataset.example("terms"), { kind: "field", message: /terms\.csv\.gz/ });
});
