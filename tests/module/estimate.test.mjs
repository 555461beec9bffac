import assert from "node:assert/strict";
import { test } from "node:test";
import afresh, { near, problem } from "./afresh.mjs";

const { allocate, diagnose, estimateRates, Reading } = afresh;

test("rates from events come with intervals, a posterior and a diagnosis", () => {
  const found = estimateRates({
    kind: "events",
    item: ["b", "a", "b", "b"],
    time: [3, 4, 9, 20],
    from: 0,
    to: 30,
  });
  assert.deepEqual(found.item, ["b", "a"]);
  near(assert, found.rate, [0.1, 1 / 30], 1e-12);
  assert.ok(found.low.every((low, i) => low < found.rate[i] && found.rate[i] < found.high[i]));
  assert.deepEqual([...found.changes], [3, 1]);
  assert.equal(found.method[0], "full-history");
  assert.ok(found.diagnosis.findings.length > 0);
  assert.equal(found.notes.length, 0);
  assert.ok(found.posterior.every((mean, i) => mean === found.alpha[i] / found.beta[i]));
  // The posterior goes straight into a plan.
  const plan = allocate({
    items: { alpha: found.alpha, beta: found.beta },
    model: "gamma-poisson",
    budget: 1,
  });
  assert.equal(plan.frequency.length, 2);
});

test("items may be numbers, and the window may be left out", () => {
  const found = estimateRates({
    kind: "events",
    item: new Uint32Array([2, 0, 2]),
    time: new Float64Array([1, 2, 5]),
  });
  assert.deepEqual([...found.item], [0, 1, 2]);
  assert.equal(found.rate[1], 0);
  assert.match(found.notes[0], /window was taken from/);
  assert.deepEqual([found.from, found.to], [1, 5]);
});

test("irregular visits are the reference's", () => {
  const gaps = [1, 2, 1, 5, 3, 0.5];
  const time = [0];
  gaps.forEach((gap) => time.push(time[time.length - 1] + gap));
  const found = estimateRates({
    kind: "visits",
    item: time.map(() => "x"),
    time,
    changed: [0, 1, 0, 1, 1, 0, 0],
  });
  near(assert, found.rate, [0.365057002626166], 1e-12);
  assert.equal(found.method[0], "irregular-visits");
  assert.equal(found.diagnosis, undefined);
});

test("last-modified stamps sharpen a rate, and unknown ones are allowed", () => {
  const visits = {
    kind: "visits",
    item: [0, 0, 0, 0],
    time: [0, 10, 20, 30],
    changed: [0, 1, 1, 0],
  };
  const plain = estimateRates(visits);
  const stamped = estimateRates({
    ...visits,
    lastModified: [null, 9, 12, null],
  });
  assert.equal(plain.method[0], "regular-visits");
  near(assert, stamped.rate, [2 / (1 + 8 + 10)], 1e-12);
  assert.equal(stamped.method[0], "last-modified");
});

test("close events merge when asked", () => {
  const events = {
    kind: "events",
    item: [0, 0, 0],
    time: [1, 1.1, 5],
    from: 0,
    to: 10,
  };
  assert.equal(estimateRates(events).changes[0], 3);
  const merged = estimateRates({ ...events, mergeWithin: 1 });
  assert.equal(merged.changes[0], 2);
  assert.match(merged.notes[0], /too soon/);
});

test("one item is explained in its own words", () => {
  const weekly = Array.from({ length: 30 }, (_, k) => 20_006 + 7 * k + (k % 3) / 1000 + 0.4);
  const request = {
    kind: "events",
    item: [...weekly.map(() => "weekly"), "rare", "other", "other"],
    time: [...weekly, 20_050, 20_010, 20_200],
    from: 20_000,
    to: 20_215,
  };
  const found = diagnose(request, "weekly");
  assert.match(found.reasoning[0], /^30 changes in 7.1 months of watching make one every 7.2 days\.$/);
  assert.match(found.reasoning[1], /^With 95 % confidence it is between one every/);
  assert.match(found.reasoning[2], /its own history counts \d+ %/);
  const words = found.diagnosis.findings.join(" ");
  assert.match(words, /not Poisson.*more even than at random.*shape/);
  assert.match(words, /30 of 30 changes came on a weekday/);
  assert.match(words, /around 09:00 UTC/);
  assert.equal(found.diagnosis.suggests, "weibull");
  assert.deepEqual([found.diagnosis.gaps, found.diagnosis.gap.length, found.diagnosis.gapShare[0]], [29, 29, 1]);
  assert.equal(
    found.diagnosis.weekdayShare.reduce((sum, share) => sum + share),
    1,
  );
  // Off the calendar there is no Monday.
  const plain = diagnose({ ...request, calendar: false }, "weekly").diagnosis;
  assert.ok(plain.weekday.every((count) => count === 0));
  assert.doesNotMatch(plain.findings.join(" "), /weekday|UTC/);
  assert.match(diagnose(request, "rare").diagnosis.findings[0], /^Fewer than five changes/);
});

test("one item is explained as it was estimated, with the prior or without", () => {
  const request = {
    kind: "events",
    item: [0, 0, 0, 1, 2, 2],
    time: [1, 5, 9, 3, 2, 30],
  };
  const { prior } = estimateRates(request);
  assert.deepEqual(diagnose(request, 1, prior), diagnose(request, 1));
  const visits = {
    kind: "visits",
    item: [0, 0, 0, 1, 1],
    time: [0, 10, 20, 0, 7],
    changed: [0, 1, 0, 0, 0],
  };
  const seen = diagnose(visits, 0);
  assert.match(seen.reasoning[0], /^1 of 2 visits, one every 10 days, found a change/);
  assert.equal(seen.diagnosis, undefined);
  assert.match(diagnose(visits, 1).reasoning[0], /^None of 1 visit in 7 days found a change/);
  problem(assert, () => diagnose(request, 3), {
    kind: "value",
    column: "item",
  });
  problem(assert, () => diagnose(request, 0.5), { column: "item" });
  problem(assert, () => diagnose(request, "a"), { column: "item" });
  problem(assert, () => diagnose({ ...request, item: ["a"], time: [] }, "a", prior), { kind: "length" });
  problem(assert, () => diagnose(request, 0, { alpha: -1, beta: 0 }), {
    kind: "value",
    column: "prior",
  });
  problem(assert, () => diagnose(request, 0, 7), { kind: "field" });
  problem(assert, () => diagnose({ ...request, tiem: [] }, 0), {
    kind: "field",
    column: "tiem",
  });
});

test("wrong requests are refused with their place", () => {
  const good = { kind: "events", item: ["a"], time: [1], from: 0, to: 2 };
  problem(assert, () => estimateRates({ ...good, kind: "event" }), {
    kind: "field",
  });
  problem(assert, () => estimateRates({ ...good, tiem: [1] }), {
    kind: "field",
    column: "tiem",
    hint: /time/,
  });
  problem(assert, () => estimateRates({ ...good, time: [NaN] }), {
    kind: "value",
    row: 0,
    column: "time",
  });
  problem(assert, () => estimateRates({ ...good, time: [1, 2] }), {
    kind: "length",
    column: "time",
  });
  problem(assert, () => estimateRates({ ...good, item: ["a", 3], time: [1, 2] }), { kind: "value", row: 1 });
  problem(assert, () => estimateRates({ ...good, item: [-1] }), {
    kind: "value",
    column: "item",
  });
  problem(assert, () => estimateRates({ ...good, item: "a" }), {
    kind: "field",
    column: "item",
  });
  problem(assert, () => estimateRates({ ...good, item: [4e9] }), {
    kind: "size",
  });
  problem(assert, () => estimateRates({ ...good, from: 5 }), {
    kind: "value",
    column: "from",
  });
  problem(assert, () => estimateRates({ ...good, mergeWithin: -1 }), {
    kind: "value",
    column: "mergeWithin",
  });
  problem(assert, () => estimateRates({ ...good, changed: [1] }), {
    kind: "field",
    column: "changed",
  });
  problem(assert, () => estimateRates({ kind: "visits", item: [0], time: [1] }), { column: "changed" });
  problem(assert, () => estimateRates({ kind: "visits", item: [0], time: [1], changed: [2] }), { row: 0 });
  problem(assert, () => estimateRates({ kind: "events", item: [], time: [] }), {
    kind: "length",
  });
  problem(assert, () => estimateRates(), { kind: "field" });
});

test("a log file becomes the columns of a request", () => {
  const read = (text) => {
    const reading = new Reading("visits.csv");
    reading.push(new TextEncoder().encode(text));
    reading.end();
    while (!reading.step().done);
    return reading.finish();
  };
  const table = read("page,time,changed\na,2026-01-01,0\na,2026-01-03,1\nb,someday,1\na,2026-01-07,0\n");
  const job = table.logMapper(table.logMapping());
  while (!job.step().done);
  const log = job.finish();
  assert.deepEqual(log.names, ["a"]);
  assert.deepEqual([log.first, log.last, log.split, log.calendar], [20454, 20460, 20458.5, true]);
  assert.deepEqual([log.bad.total, log.bad.listed[0].row, log.bad.listed[0].column], [1, 4, "time"]);
  const { item, time, changed } = log;
  const found = estimateRates({ kind: "visits", item, time, changed });
  assert.equal(found.exposure[0], 6);
  assert.equal(found.changes[0], 1);
  problem(assert, () => table.logMapper({ roles: ["item"], header: true, decimalComma: false }), { kind: "length" });
});
