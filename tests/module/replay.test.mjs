import assert from "node:assert/strict";
import { test } from "node:test";
import afresh, { problem } from "./afresh.mjs";

const { Replaying, replay } = afresh;

/** A repeatable history: `events` changes of `items` items over 400 days. */
function history(items, events) {
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const item = new Uint32Array(events);
  const time = new Float64Array(events);
  for (let k = 0; k < events; k++) {
    item[k] = Math.floor(items * random() ** 2);
    time[k] = 400 * random();
  }
  return { item, time, trainFrom: 0, trainTo: 300, testTo: 400 };
}

test("every policy spends the same and says what it promised", () => {
  const request = { ...history(60, 3000), budget: 20 };
  const found = replay(request);
  assert.equal(found.policies.length, 14);
  for (const policy of found.policies) {
    assert.ok(Math.abs(policy.visits / 2000 - 1) < 0.02, `${policy.name}: ${policy.visits}`);
    assert.ok(policy.freshness > 0 && policy.freshness <= 1 && policy.age >= 0);
    const rule = ["nutch", "storm-crawler", "miniflux"].includes(policy.name);
    assert.equal(Number.isNaN(policy.predictedFreshness), rule, policy.name);
    if (!rule) assert.equal(policy.factor, 1);
    assert.equal(policy.difference, policy.freshness - policy.predictedFreshness);
  }
  const had = found.policies.filter(({ name }) => name !== "hindsight");
  assert.equal(found.policies[found.best].freshness, Math.max(...had.map(({ freshness }) => freshness)));
  assert.equal(found.policies[found.youngest].age, Math.min(...had.map(({ age }) => age)));
  assert.equal(found.promised, 11);
  assert.equal(found.kept, found.policies.filter(({ difference }) => Math.abs(difference) <= 0.02).length);
  assert.equal(found.series.time.length, 400);
  assert.equal(found.series.policies[0].freshness.length, 400);
  assert.equal(found.series.items.length, 60);
  assert.match(found.sentence, /up to date/);
  assert.deepEqual(replay(request), found);
});

test("a replay in steps shows progress and comes to the same", () => {
  const request = {
    ...history(50, 2000),
    budget: 30,
    policies: ["uniform", "nutch", "greedy", "online"],
  };
  const job = new Replaying(request);
  let progress = { fraction: 0, done: false };
  while (!progress.done) {
    const next = job.step();
    assert.ok(next.fraction >= progress.fraction && next.fraction <= 1);
    progress = next;
  }
  assert.deepEqual(job.finish(), replay(request));
  const stopped = new Replaying(request);
  problem(assert, () => stopped.finish(), { kind: "cancelled" });
});

test("names, weights and births are understood", () => {
  const found = replay({
    item: ["a", "a", "b", "b", "late"],
    time: [0, 50, 10, 90, 95],
    firstEvent: "start",
    trainTo: 60,
    testTo: 100,
    weight: [1, 3, 1],
    budget: 1,
    policies: ["uniform"],
  });
  assert.deepEqual([...found.series.items], [0, 1]);
  assert.match(found.notes.join(" "), /Left out: 1 item of which nothing was known/);
  assert.match(found.notes.join(" "), /window was taken/);
});

test("wrong requests are refused with their place", () => {
  const good = {
    item: [0, 0, 1],
    time: [1, 5, 7],
    trainTo: 4,
    testTo: 9,
    budget: 2,
  };
  assert.ok(replay(good).policies.length);
  problem(assert, () => replay({ ...good, policies: ["best"] }), {
    column: "policies",
    hint: /uniform/,
  });
  problem(assert, () => replay({ ...good, policies: [] }), {
    column: "policies",
  });
  problem(assert, () => replay({ ...good, policies: ["uniform", "uniform"] }), {
    column: "policies",
  });
  problem(assert, () => replay({ ...good, policies: [1] }), { kind: "field" });
  problem(assert, () => replay({ ...good, budget: 0 }), { column: "budget" });
  problem(assert, () => replay({ ...good, budget: 1e9 }), { kind: "size" });
  problem(assert, () => replay({ ...good, budget: "2" }), {
    kind: "field",
    column: "budget",
  });
  problem(assert, () => replay({ ...good, trainTo: 20 }), {
    column: "trainTo",
  });
  problem(assert, () => replay({ ...good, trainTo: NaN }), {
    column: "trainTo",
  });
  problem(assert, () => replay({ ...good, testTo: Infinity }), {
    kind: "value",
  });
  problem(assert, () => replay({ ...good, weight: [1] }), { column: "weight" });
  problem(assert, () => replay({ ...good, weight: [0, 0] }), {
    column: "weight",
  });
  problem(assert, () => replay({ ...good, weight: [1, -1] }), {
    column: "weight",
    row: 1,
  });
  problem(assert, () => replay({ ...good, replanEvery: 0 }), {
    column: "replanEvery",
  });
  problem(assert, () => replay({ ...good, points: 1 }), { column: "points" });
  problem(assert, () => replay({ ...good, mergewithin: 1 }), {
    hint: /mergeWithin/,
  });
  problem(assert, () => new Replaying(null), { kind: "field" });
});

test("hindsight alone wins nothing", () => {
  const found = replay({
    ...history(20, 400),
    budget: 5,
    policies: ["hindsight"],
  });
  assert.deepEqual([found.best, found.youngest, found.promised], [undefined, undefined, 1]);
  assert.match(found.sentence, /nobody has/);
});

test("a history without changes in either part still has an answer", () => {
  const quiet = {
    item: [0, 1],
    time: [1, 2],
    trainFrom: 0,
    trainTo: 50,
    testTo: 100,
    budget: 1,
  };
  for (const policy of replay(quiet).policies) assert.equal(policy.freshness, 1, policy.name);
  const late = {
    item: [0, 1],
    time: [60, 70],
    trainFrom: 0,
    trainTo: 50,
    testTo: 100,
    budget: 1,
  };
  for (const policy of replay(late).policies) assert.ok(policy.freshness < 1, policy.name);
});
