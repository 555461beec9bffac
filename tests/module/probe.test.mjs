import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import afresh, { near, problem } from "./afresh.mjs";

const { contentFreshness, orderQueries, pace, probes, queryFrequencies, Reading, startContentFreshness } = afresh;

const rows = [["web", "crawling"], ["web", "search"], ["mining"], []];
const server = { size: 1e6, counts: { web: 90000, crawling: 800, search: 20000, mining: 4000 } };

test("probes choose few results with many rows, and say where each count comes from", () => {
  const { queries, coverage, uncovered, unreachable, requests, requestsPerRow, speedup, ratio, lowerBound, cost } =
    probes({ rows, server });
  assert.deepEqual(
    queries.map(({ terms, source, serverCount }) => [terms, source, serverCount]),
    [
      [["crawling", "web"], "independence", 72],
      [["search", "web"], "independence", 1800],
      [["mining"], "given", 4000],
    ],
  );
  assert.ok(queries[0].rows instanceof Uint32Array);
  assert.deepEqual([...queries[0].rows], [0]);
  assert.equal(coverage, 0.75);
  assert.deepEqual([[...uncovered], [...unreachable]], [[3], [3]]);
  assert.equal(requests, 8 + 180 + 400);
  near(assert, [requestsPerRow * speedup, cost], [1, 72 + 1800 + 4000]);
  assert.ok(ratio >= 1 && ratio < 1 + 1e-9 && lowerBound <= cost);
});

test("pairs, pages, caps and stop rules are obeyed", () => {
  const pairs = [["search", "web", 12]];
  const all = probes({ rows, server: { ...server, pairs } });
  assert.deepEqual([all.queries[0].terms, all.queries[0].source], [["search", "web"], "given"]);
  const first = probes({ rows, server, method: 2, pageSize: 20, maxTerms: 1 });
  assert.equal(first.requests, first.queries.length);
  assert.ok(first.expectedCoverage < 0.05 && first.coverage === 0.75 && first.costUnit === "requests");
  assert.equal(probes({ rows, server, resultCap: 100 }).queries.at(-1).requests, 10);
  assert.equal(probes({ rows, server, stop: { queries: 1 } }).queries.length, 1);
  assert.equal(probes({ rows, server, stop: { requests: 9 } }).requests, 8);
  assert.equal(probes({ rows, server, stop: { coverage: 0.5 } }).coverage, 0.5);
  assert.equal(probes({ rows, server, topK: 1, maxTerms: 3 }).queries[0].terms[0], "web");
});

test("every method, cap and number of keywords has its bound", () => {
  const many = Array.from({ length: 60 }, (_, i) => [`a${i % 7}`, `b${i % 11}`, `c${i % 3}`]);
  const counts = Object.fromEntries(many.flat().map((word, i) => [word, 20 + ((i * 37) % 400)]));
  const usual = { rows: many, server: { size: 5000, counts } };
  for (const knobs of [
    {},
    { method: 2 },
    { topK: 4 },
    { resultCap: 50 },
    { cost: "requests" },
    { stop: { queries: 3 } },
  ]) {
    const { lowerBound, ratio, cost } = probes({ ...usual, ...knobs });
    assert.ok(lowerBound > 0 && lowerBound <= cost && ratio >= 1 && ratio < 8, `${JSON.stringify(knobs)}: ${ratio}`);
    near(assert, [ratio * lowerBound], [Math.max(cost, lowerBound)]);
  }
});

test("a sample is scaled, and the factor is fitted where counts are known", () => {
  const counts = { web: 100, crawling: 10, search: 20, mining: 5 };
  const scaled = probes({ rows, server: { counts, scale: 4.6 }, maxTerms: 1 });
  assert.ok(scaled.queries.every(({ source }) => source === "sample"));
  const fitted = probes({
    rows,
    server: { counts: { web: 460, search: 92 }, sample: { size: 1000, counts } },
    maxTerms: 1,
  });
  near(assert, [fitted.calibration.scale, fitted.calibration.counts, fitted.scale], [4.6, 2, 4.6]);
});

test("the paper's Table 3: order, pace and frequencies", () => {
  const groups = [[0, 1], Uint32Array.of(2, 3)];
  const rate = [1, 2, 3, 4];
  const { order, a, value } = orderQueries({ groups, rate, interval: 1 });
  assert.deepEqual([[...order], [...a], value], [[0, 1], [0.375, 0.875], 0.375]);
  const { interval } = pace({ groups, rate, alpha: 0.1 });
  const there = orderQueries({ groups, rate, interval });
  near(assert, [there.value], [0.1 * 2 * interval * 4]);
  assert.equal(pace({ groups: [[0, 1]], rate: [1, 2], alpha: 1 }).interval, Infinity);
  const { frequency, average, alike } = queryFrequencies({ groups, rate, budget: 1 });
  near(assert, [frequency[1] / frequency[0]], [Math.cbrt(7 / 3)]);
  assert.ok(average < alike);
});

test("content freshness over time: a call, a job, and the same bits for a seed", () => {
  const { time, naive1, naive2, greedy, cubeRoot } = contentFreshness({ seed: 3 });
  assert.equal(time.length, 501);
  assert.ok(greedy.mean < naive1.mean / 3 && naive2.expected[500] > naive1.expected[500]);
  assert.ok(cubeRoot.meanExpected < greedy.meanExpected);
  const job = startContentFreshness({ seed: 3 });
  while (!job.step().done);
  assert.deepEqual(job.finish().greedy, greedy);
  const own = contentFreshness({ seed: 1, groups: [[0], [1]], rate: [0.5, 2], horizon: 10, points: 11, budget: 1 });
  assert.equal(own.greedy.expected[0], 0);
});

test("wrong types and impossible values are told, with their place", () => {
  for (const [request, fields] of [
    [undefined, { kind: "field" }],
    [{}, { kind: "field", column: "rows" }],
    [{ rows: "web" }, { kind: "field", column: "rows" }],
    [{ rows: [["a"], "b"] }, { kind: "field", column: "rows", row: 1 }],
    [{ rows: [["a", 7]] }, { kind: "field", column: "rows", row: 0 }],
    [{ rows: [] }, { kind: "value", column: "rows" }],
    [
      { rows, weight: [1] },
      { kind: "length", column: "weight" },
    ],
    [
      { rows, rate: [1, -1, 1, 1] },
      { kind: "value", column: "rate", row: 1 },
    ],
    [
      { rows, elapsed: [1, NaN, 1, 1] },
      { kind: "value", column: "elapsed", row: 1 },
    ],
    [
      { rows, pagesize: 3 },
      { kind: "field", hint: /pageSize/ },
    ],
    [
      { rows, stop: { query: 1 } },
      { kind: "field", hint: /queries/ },
    ],
    [
      { rows, server: { counts: {}, pair: [] } },
      { kind: "field", hint: /pairs/ },
    ],
    [
      { rows, server: { counts: [1] } },
      { kind: "field", column: "counts" },
    ],
    [
      { rows, server: { counts: { web: -1 } } },
      { kind: "value", column: "counts" },
    ],
    [
      { rows, server: { counts: { web: "9" } } },
      { kind: "field", column: "counts" },
    ],
    [
      { rows, server: { counts: {}, pairs: [["a", "b"]] } },
      { kind: "field", column: "pairs", row: 0 },
    ],
    [
      { rows, server: { counts: {}, pairs: [["a", "b", -2]] } },
      { kind: "value", column: "pairs" },
    ],
    [
      { rows, server: { counts: {}, size: 0 } },
      { kind: "value", column: "size" },
    ],
    [
      { rows, server: { counts: {}, scale: -1 } },
      { kind: "value", column: "scale" },
    ],
    [
      { rows, method: 3 },
      { kind: "value", column: "method" },
    ],
    [
      { rows, maxTerms: 4 },
      { kind: "value", column: "maxTerms" },
    ],
    [
      { rows, pageSize: 0 },
      { kind: "value", column: "pageSize" },
    ],
    [
      { rows, topK: 0 },
      { kind: "value", column: "topK" },
    ],
    [
      { rows, stop: { coverage: 2 } },
      { kind: "value", column: "coverage" },
    ],
    [{ rows, staleness: "cubic" }, { kind: "field" }],
  ])
    problem(assert, () => probes(request), fields);
  problem(assert, () => orderQueries({ groups: [[0]], rate: [1] }), { column: "interval" });
  problem(assert, () => orderQueries({ groups: [[5]], rate: [1], interval: 1 }), { column: "groups" });
  problem(assert, () => pace({ groups: [], rate: [1], alpha: 1 }), { column: "groups" });
  problem(assert, () => pace({ groups: [[0]], rate: [1], alpha: 0 }), { column: "alpha" });
  problem(assert, () => contentFreshness({ seed: 1, rate: [1] }), { column: "groups" });
  problem(assert, () => contentFreshness({ seed: 1, horizon: 1e300 }), { kind: "size" });
});

test("hostile tables are answered", () => {
  assert.equal(probes({ rows: [[], []] }).queries.length, 0);
  assert.equal(probes({ rows: [["", "  "]] }).unreachable.length, 1);
  assert.equal(probes({ rows: [["a"], ["a"], ["a"]] }).queries.length, 1);
  assert.equal(probes({ rows, weight: [0, 0, 0, 0] }).queries.length, 0);
  assert.equal(
    probes({ rows: [["__proto__", "日本語", "é"], ["\ud800"]], server: { counts: { 日本語: 3 } } }).coverage,
    1,
  );
  const below = probes({ rows: [["a"], ["a"]], server: { counts: { a: 1 } } });
  assert.equal(below.queries[0].serverCount, 2);
  // A pair whose keywords have no counts of their own.
  const lonely = probes({ rows, server: { counts: {}, pairs: [["web", "search", 12]] }, maxTerms: 2 });
  assert.ok(lonely.queries.every(({ source }) => source === "local" || source === "given"));
  assert.equal(lonely.coverage, 0.75);
  const words = Array.from({ length: 10000 }, (_, k) => `w${k}`);
  const long = probes({ rows: [words, words.slice(5000), ["w9999"]], maxTerms: 3 });
  assert.ok(long.coverage === 1 && long.width < 10000);
  probes({ rows, rate: [1e300, 1e-300, 0, 1], elapsed: [0, 1e-9, 1e3, 1] });
});

/** Bytes, read as the page reads a dropped file. */
function read(name, bytes) {
  const reading = new Reading(name, undefined);
  reading.push(bytes);
  reading.end();
  while (!reading.step().done);
  return reading.finish();
}

const csv = (text) => read("table.csv", new TextEncoder().encode(text));

/** A file of the examples. */
const table = async (name) =>
  read(name, await readFile(new URL(`../../crate/src/ingest/examples/probe/${name}`, import.meta.url)));

function finished(job, ...args) {
  let last = 0;
  for (;;) {
    const { fraction, done } = job.step();
    assert.ok(fraction >= last - 1e-12 && fraction <= 1);
    last = fraction;
    if (done) return job.finish(...args);
  }
}

const numbers = { decimalComma: false, header: true };

test("the packages: from files to queries, order, lines and a file to take away", async () => {
  const packages = await table("packages.csv.gz");
  const roles = ["id", "list", "list", "words", "weight", "rate"];
  const relation = finished(packages.relation({ roles, units: roles.map(() => null), ...numbers }), false, 0);
  relation.setServer(15000, undefined);
  const singles = relation.addCounts(
    await table("package-counts.csv.gz"),
    { keyword: 0, attribute: 1, count: 2, ...numbers },
    false,
  );
  assert.ok(singles.used > 4000 && singles.bad.total === 0);
  const pairs = { keyword: 0, second: 1, attribute: 2, count: 3, ...numbers };
  assert.ok(relation.addCounts(await table("package-pairs.csv.gz"), pairs, false).used > 1500);
  assert.deepEqual(relation.summary().attributes, ["keywords", "topics", "description"]);

  const found = finished(relation.probe({ cost: "requests", pageSize: 25, stop: { coverage: 0.5 } }, undefined));
  const view = found.view();
  assert.ok(view.coverage >= 0.5 && view.coverage < 0.52 && view.ratio < 3 && view.speedup > 1);
  assert.equal(view.growthCoverage.at(-1), view.coverage);
  assert.ok(view.growthQueries.length <= 2000 && view.growthQueries.at(-1) === view.queries);
  const first = { sort: "number", descending: false, from: 0, count: 5, budget: 10, interval: 0.1 };
  const { queries, frequency } = found.page(first);
  assert.equal(queries.length, 5);
  assert.ok(frequency.every((f) => f > 0));
  // Every sort is a rearrangement of the same queries, by the column that it names.
  const whole = { ...first, count: 1e6 };
  const columns = {
    number: ({ number }) => number,
    terms: ({ queries }) => queries.map(({ terms }) => terms.map((t) => (/\s/.test(t) ? `"${t}"` : t)).join(" ")),
    rows: ({ queries }) => queries.map(({ rows }) => rows.length),
    serverCount: ({ queries }) => queries.map(({ serverCount }) => serverCount),
    requests: ({ queries }) => queries.map(({ requests }) => requests),
    score: ({ queries }) => queries.map(({ score }) => score),
    place: ({ place }) => place,
    a: ({ a }) => a,
    frequency: ({ frequency }) => frequency,
  };
  for (const [sort, column] of Object.entries(columns))
    for (const descending of [false, true]) {
      const page = found.page({ ...whole, sort, descending });
      const values = [...column(page)];
      const ordered = (a, b) => (descending ? a >= b : a <= b);
      assert.ok(
        values.every((value, at) => at === 0 || ordered(values[at - 1], value)),
        `${sort}, ${descending}`,
      );
      assert.deepEqual(
        [...page.number].sort((a, b) => a - b),
        [...found.page(whole).number],
      );
      assert.deepEqual(found.page({ ...whole, sort, descending, from: 3, count: 4 }).number, page.number.slice(3, 7));
    }
  assert.deepEqual(found.page({ ...first, from: 1e6 }).queries, []);
  problem(assert, () => found.page({ ...first, sort: "beauty" }), { kind: "field" });
  assert.deepEqual(found.rowsOf(0), queries[0].rows);
  assert.equal(relation.ids(queries[0].rows).length, queries[0].rows.length);
  const order = found.order(0.1);
  assert.ok(order.cubeRoot <= order.alike);
  near(assert, [found.pace(0.5) * order.growth], [0.5]);
  const { greedy, naive1 } = finished(found.overTime(10, 100, 101, 1));
  assert.ok(greedy.meanExpected > 0 && naive1.meanExpected > 0);
  assert.equal(found.text("text").trimEnd().split("\n").length, view.queries);
  assert.equal(JSON.parse(found.text("json")).length, view.queries);
  assert.match(found.text("csv"), /^query,attributes,rows,/);
  problem(assert, () => found.rowsOf(1e6), { kind: "value" });
  problem(assert, () => relation.probe({ topk: 3 }, undefined), { hint: /topK/ });
  const topics = finished(relation.probe({ topK: 5, maxTerms: 1 }, 1)).view();
  assert.ok(topics.coverage < 1 && topics.unreachableRows > 0);
});

test("the legal documents: pairs across attributes are found", async () => {
  const roles = ["id", "words", "words", "list", "weight", "rate"];
  const documents = await table("terms.csv.gz");
  const relation = finished(documents.relation({ roles, units: roles.map(() => null), ...numbers }), false, 0);
  relation.setServer(1275, undefined);
  relation.addCounts(await table("terms-counts.csv.gz"), { keyword: 0, attribute: 1, count: 2, ...numbers }, false);
  const pairs = { keyword: 0, attribute: 1, second: 2, secondAttribute: 3, count: 4, ...numbers };
  const report = relation.addCounts(await table("terms-pairs.csv.gz"), pairs, false);
  assert.ok(report.used > 0.9 * report.rows, `${report.used} of ${report.rows}`);
  const view = finished(relation.probe({ maxTerms: 3 }, undefined)).view();
  // Documents that never changed are not worth a query.
  assert.equal(view.uncovered, view.worthless);
  assert.ok(view.ratio < 2);
});

test("rates come from past changes, and a sample from a table like the relation's", () => {
  const cited = csv("paper,title,citations,watched\na,web crawl,12,365\nb,web search,0,730\nc,mining,40,365\n");
  const mapping = cited.relationMapping();
  assert.deepEqual(mapping.roles.slice(2), ["changes", "watched"]);
  const relation = finished(cited.relation({ ...mapping, roles: ["id", "words", "changes", "watched"] }), false, 0);
  const report = relation.setCorpus(csv("title,year\nweb web mining,1\nother,2\nweb search,3\n"), true);
  assert.deepEqual([report.rows, report.used], [3, 2]);
  relation.addCounts(csv("word,count\nweb,200\nmining,300\n"), { keyword: 0, count: 1, ...numbers }, false);
  const view = finished(relation.probe({ maxTerms: 1 }, undefined)).view();
  near(
    assert,
    [view.calibration.scale, view.calibration.low, view.scale],
    [Math.sqrt(30000), Math.sqrt(100 * Math.sqrt(30000)), Math.sqrt(30000)],
  );
  problem(assert, () => relation.setCorpus(csv("x,y\n1,2\n"), true), { kind: "field" });
  const bad = csv("paper,title,history\na,web,2024-01-01; soon\nb,crawl,2024-02-01\n");
  const job = bad.relation({ ...bad.relationMapping(), roles: ["id", "words", "history"] });
  while (!job.step().done);
  assert.deepEqual(
    job.report().listed.map(({ row, column }) => [row, column]),
    [[2, "history"]],
  );
  problem(assert, () => job.finish(false, 0), { kind: "value", row: 2, column: "history" });
});
