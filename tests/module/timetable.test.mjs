import assert from "node:assert/strict";
import { test } from "node:test";
import afresh, { near, problem } from "./afresh.mjs";

const { allocate, simulate, timetable } = afresh;

test("a timetable keeps every item within a visit of its share and every slot within its capacity", () => {
  const { frequency } = allocate({ items: { rate: [1, 2, 3, 4, 5] }, budget: 5 });
  const horizon = 40;
  const plan = timetable({ frequency, horizon, slot: 1, capacity: 6, start: 100 });
  assert.ok(plan.time instanceof Float64Array && plan.item instanceof Uint32Array);
  assert.ok(plan.maxLag > 0 && plan.maxLag <= 1, `lag ${plan.maxLag}`);
  assert.ok(plan.load.every((load) => load <= 6));
  assert.equal(
    plan.load.reduce((a, b) => a + b),
    plan.time.length,
  );
  assert.ok(plan.time.every((t, i) => t >= 100 && t < 140 && (i === 0 || t >= plan.time[i - 1])));
  frequency.forEach((f, item) => {
    const visits = plan.item.filter((i) => i === item).length;
    assert.ok(Math.abs(visits - f * horizon) <= 1, `item ${item}: ${visits} visits for ${f * horizon}`);
  });
});

test("what was synced last waits longest", () => {
  const plan = timetable({ frequency: [1, 1, 1], horizon: 2, lastSync: [9.9, 9.1, 9.5], start: 10 });
  assert.deepEqual([...plan.item.slice(0, 3)], [1, 2, 0]);
});

test("an item whose last sync is not known may say null", () => {
  const known = timetable({ frequency: [1, 1], horizon: 3, lastSync: [NaN, -0.5] });
  assert.deepEqual(timetable({ frequency: [1, 1], horizon: 3, lastSync: [null, -0.5] }), known);
});

test("an impossible timetable says why", () => {
  problem(assert, () => timetable({ frequency: [5, 5], horizon: 1, slot: 1, capacity: 3 }), {
    kind: "infeasible",
    message: /capacity|3/,
  });
  problem(assert, () => timetable({ frequency: [1, -1], horizon: 1 }), { kind: "value", row: 1 });
  problem(assert, () => timetable({ frequency: [1], horizon: Infinity }), { kind: "value" });
  problem(assert, () => timetable({ frequency: [1e9], horizon: 1e9 }), { kind: "size" });
  problem(assert, () => timetable({ frequency: [1] }), { kind: "field", column: "horizon" });
  problem(assert, () => timetable({ frequency: [1], horizon: 1, lastsync: [0] }), {
    column: "lastsync",
    hint: /lastSync/,
  });
});

test("a simulation lands on the prediction, and its seed decides every bit", () => {
  const items = { rate: [1, 2, 3, 4, 5] };
  const { frequency, freshness } = allocate({ items, budget: 5 });
  const request = { items, frequency, horizon: 200, seed: 7, runs: 60, points: 20 };
  const once = simulate(request);
  assert.ok(once.meanFreshnessLow < once.meanFreshnessHigh);
  const halfWidth = (once.meanFreshnessHigh - once.meanFreshnessLow) / 2;
  assert.ok(Math.abs(once.meanFreshness - freshness) < 2.5 * halfWidth, `${once.meanFreshness} is not ${freshness}`);
  assert.deepEqual(simulate(request), once);
  assert.notDeepEqual(simulate({ ...request, seed: 8 }).freshness, once.freshness);
  assert.equal(once.time.length, 20);
  once.freshness.forEach((f, i) => assert.ok(once.freshnessLow[i] <= f && f <= once.freshnessHigh[i]));
});

test("every model and order simulates to its own prediction", () => {
  const rate = [0.5, 2];
  const models = {
    poisson: { rate },
    weibull: { rate, shape: [0.8, 1.4] },
    "gamma-poisson": { alpha: [2, 6], beta: [4, 3] },
  };
  for (const [model, items] of Object.entries(models)) {
    for (const order of ["fixed", "random", "purely-random"]) {
      const { frequency, freshness, age } = allocate({ items, model, order, metric: "age", budget: 3 });
      const run = simulate({ items, model, order, frequency, horizon: 100, seed: 3, runs: 400, points: 5 });
      near(assert, [run.meanFreshness], [freshness], 0.02);
      near(assert, [run.meanAge], [age], 0.06);
    }
  }
});

test("an impossible simulation says why", () => {
  const items = { rate: [1, 2] };
  const request = { items, frequency: [1, 1], horizon: 10, seed: 1, runs: 10, points: 10 };
  problem(assert, () => simulate({ ...request, frequency: [1] }), { kind: "length" });
  problem(assert, () => simulate({ ...request, seed: 1.5 }), { kind: "value", column: "seed" });
  problem(assert, () => simulate({ ...request, runs: 0 }), { kind: "value" });
  problem(assert, () => simulate({ ...request, horizon: -1 }), { kind: "value" });
  problem(assert, () => simulate({ ...request, frequency: [1e12, 1] }), { kind: "size" });
});
