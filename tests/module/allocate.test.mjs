import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import afresh, { near, problem } from "./afresh.mjs";

const { allocate, frequencyCurve, tradeoff } = afresh;
const reference = JSON.parse(await readFile(new URL("../oracle/reference.json", import.meta.url)));

test("every reference allocation comes through the boundary to 1e-9", () => {
  assert.ok(reference.allocation.length >= 7);
  for (const { rate, weight, cost, count, budget, metric, price, frequency, weighted_mean } of reference.allocation) {
    const plan = allocate({ items: { rate, weight, cost, count }, metric, budget });
    near(assert, plan.frequency, frequency);
    near(assert, plan.price, price);
    near(assert, plan[metric], weighted_mean);
    near(assert, plan.spent, budget);
    assert.ok(plan.gap >= 0 && plan.gap <= 1e-9, `gap ${plan.gap}`);
  }
});

test("Example 4: the element that changes fastest gets nothing", () => {
  const plan = allocate({ items: { rate: [1, 2, 3, 4, 5] }, budget: 5 });
  assert.ok(plan.frequency instanceof Float64Array);
  assert.equal(plan.idle, 1);
  assert.equal(plan.frequency[4], 0);
  near(assert, [plan.freshness], [0.373889], 2e-6);
  const uniform = allocate({ items: { rate: [1, 2, 3, 4, 5] }, budget: 5, policy: "uniform" });
  near(assert, [uniform.freshness], [0.365053], 2e-6);
  const proportional = allocate({ items: { rate: [1, 2, 3, 4, 5] }, budget: 5, policy: "proportional" });
  near(assert, [proportional.freshness], [0.316738], 2e-6);
});

test("typed arrays and plain arrays give the same bits", () => {
  const rate = [0.3, 1.7, 9];
  const plain = allocate({ items: { rate, weight: [1, 2, 3] }, budget: 2 });
  const typed = allocate({ items: { rate: Float64Array.from(rate), weight: Float32Array.of(1, 2, 3) }, budget: 2 });
  assert.deepEqual(plain, typed);
});

test("a budget and the target it reaches ask for the same plan", () => {
  const items = { rate: [1, 2, 3, 4, 5], weight: [5, 4, 3, 2, 1] };
  for (const metric of ["freshness", "age", "content", "harmonic"]) {
    for (const policy of ["optimal", "uniform", "proportional"]) {
      const there = allocate({ items, metric, policy, budget: 7 });
      const back = allocate({ items, metric, policy, target: there[metric] });
      near(assert, [back.spent], [7], 1e-9);
    }
  }
});

test("purely random order has the closed form √(wλ/(μκ)) − λ", () => {
  const items = { rate: [1, 2, 3], weight: [3, 1, 2], cost: [1, 2, 1] };
  const { frequency, price } = allocate({ items, order: "purely-random", budget: 6 });
  near(
    assert,
    frequency,
    items.rate.map((λ, i) => Math.max(0, Math.sqrt((items.weight[i] * λ) / (price * items.cost[i])) - λ)),
  );
});

test("Weibull with shape 1 and Gamma–Poisson with a sharp posterior are Poisson; undefined metrics are NaN", () => {
  const rate = [1, 2, 3];
  const poisson = allocate({ items: { rate }, budget: 3 });
  const weibull = allocate({ items: { rate, shape: [1, 1, 1] }, model: "weibull", budget: 3 });
  near(assert, weibull.frequency, poisson.frequency);
  assert.ok(Number.isNaN(weibull.content) && Number.isNaN(weibull.harmonic));
  const alpha = [1e9, 1e9, 1e9];
  const gamma = allocate({
    items: { alpha, beta: alpha.map((a, i) => a / rate[i]) },
    model: "gamma-poisson",
    budget: 3,
  });
  near(assert, gamma.frequency, poisson.frequency, 1e-6);
  problem(
    assert,
    () => allocate({ items: { rate, shape: [1, 1, 1] }, model: "weibull", metric: "content", budget: 3 }),
    { kind: "undefined" },
  );
});

test("host caps hold and carry their own price", () => {
  const items = { rate: [1, 1, 1, 1], host: Uint32Array.of(0, 0, 1, 1) };
  const plan = allocate({ items, budget: 4, hostCaps: [1, 100] });
  near(assert, [plan.frequency[0] + plan.frequency[1]], [1]);
  near(assert, [plan.spent], [4]);
  assert.ok(plan.hostPrice[0] > plan.hostPrice[1]);
  near(assert, [plan.hostPrice[1]], [plan.price]);
});

test("huge and tiny rates stand side by side", () => {
  const rate = [1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9];
  for (const metric of ["freshness", "age", "content", "harmonic"]) {
    const plan = allocate({ items: { rate }, metric, budget: 10 });
    assert.ok(plan.gap <= 1e-9, `${metric}: gap ${plan.gap}`);
    near(assert, [plan.spent], [10], 1e-9);
    assert.ok(plan.frequency.every((f) => f >= 0 && Number.isFinite(f)));
  }
});

test("nothing to spend, nothing to gain", () => {
  assert.deepEqual([...allocate({ items: { rate: [1, 2] }, budget: 0 }).frequency], [0, 0]);
  const still = allocate({ items: { rate: [0, 0] }, budget: 5 });
  assert.deepEqual([still.spent, still.freshness, still.idle], [0, 1, 2]);
});

test("the trade-off never falls, and optimal is never below the others", () => {
  const budgets = [0.5, 1, 2, 5, 10, 50];
  const curve = tradeoff({ items: { rate: [9, 1] }, budgets });
  assert.deepEqual([...curve.budget], budgets);
  budgets.forEach((budget, i) => {
    const { freshness, price } = allocate({ items: { rate: [9, 1] }, budget });
    near(assert, [curve.optimal.freshness[i], curve.price[i]], [freshness, price]);
    assert.ok(curve.optimal.freshness[i] >= curve.uniform.freshness[i]);
    assert.ok(curve.uniform.freshness[i] >= curve.proportional.freshness[i]);
    if (i > 0) assert.ok(curve.optimal.freshness[i] > curve.optimal.freshness[i - 1]);
  });
});

test("the universal curve peaks at 0.535161 with 0.298426 and ends at 1; it scales by 1/price", () => {
  const curve = frequencyCurve({ price: 1, maxRate: 1.2, points: 121 });
  near(assert, [curve.peak.rate, curve.peak.frequency, curve.cutoff], [0.535161, 0.298426, 1], 2e-6);
  assert.equal(curve.rate.length, 121);
  assert.ok(curve.frequency[120] === 0);
  const doubled = frequencyCurve({ price: 0.5, maxRate: 2.4, points: 121 });
  near(
    assert,
    doubled.frequency,
    Array.from(curve.frequency, (f) => 2 * f),
    1e-12,
  );
  const age = frequencyCurve({ metric: "age", price: 1, maxRate: 10, points: 11 });
  assert.equal(age.cutoff, Infinity);
});

test("what is wrong is said with its place", () => {
  const items = { rate: [1, 2, 3] };
  problem(assert, () => allocate(), { kind: "field" });
  problem(assert, () => allocate(null), { kind: "field" });
  problem(assert, () => allocate([]), { kind: "field" });
  problem(assert, () => allocate({ items }), { kind: "field", message: /exactly one/ });
  problem(assert, () => allocate({ items, budget: 1, target: 1 }), { kind: "field", message: /both/ });
  problem(assert, () => allocate({ items, budget: 1, metrik: "age" }), {
    kind: "field",
    column: "metrik",
    hint: /metric/,
  });
  problem(assert, () => allocate({ items: { ...items, wieght: [1, 1, 1] }, budget: 1 }), {
    kind: "field",
    column: "wieght",
    hint: /weight/,
  });
  problem(assert, () => allocate({ items: {}, budget: 1 }), { kind: "field", column: "rate" });
  problem(assert, () => allocate({ budget: 1 }), { kind: "field", message: /items/ });
  problem(assert, () => allocate({ items, budget: 1, metric: "freshnes" }), { kind: "field", message: /freshnes/ });
  problem(assert, () => allocate({ items, budget: "many" }), { kind: "field" });
  problem(assert, () => allocate({ items: { rate: "fast" }, budget: 1 }), { kind: "field", column: "rate" });
  problem(assert, () => allocate({ items: { rate: [1, "2", 3] }, budget: 1 }), {
    kind: "value",
    row: 1,
    column: "rate",
  });
  problem(assert, () => allocate({ items: { rate: [1, NaN, 3] }, budget: 1 }), {
    kind: "value",
    row: 1,
    column: "rate",
  });
  problem(assert, () => allocate({ items: { rate: [1, 2, -3] }, budget: 1 }), {
    kind: "value",
    row: 2,
    column: "rate",
  });
  problem(assert, () => allocate({ items: { ...items, weight: [1, 2] }, budget: 1 }), {
    kind: "length",
    column: "weight",
  });
  problem(assert, () => allocate({ items: { ...items, cost: [1, 0, 1] }, budget: 1 }), {
    kind: "value",
    row: 1,
    column: "cost",
  });
  problem(assert, () => allocate({ items: { ...items, min: [0, 2, 0], max: [1, 1, 1] }, budget: 1 }), { row: 1 });
  problem(assert, () => allocate({ items: { ...items, min: [1, 1, 1] }, budget: 1 }), { kind: "infeasible" });
  problem(assert, () => allocate({ items: { rate: [] }, budget: 1 }), {});
  problem(assert, () => allocate({ items, budget: -1 }), { kind: "value" });
  problem(assert, () => allocate({ items, budget: NaN }), { kind: "value" });
  problem(assert, () => allocate({ items, target: 2 }), {});
  problem(assert, () => allocate({ items: { ...items, host: [0, 1, 2] }, budget: 1, hostCaps: [1, 1] }), { row: 2 });
  problem(assert, () => allocate({ items: { ...items, host: [0, 1.5, 2] }, budget: 1, hostCaps: [1, 1] }), {
    row: 1,
    column: "host",
  });
  problem(assert, () => allocate({ items, model: "weibull", budget: 1 }), { column: "shape" });
  problem(assert, () => tradeoff({ items }), { kind: "field", message: /budgets/ });
  problem(assert, () => frequencyCurve({ price: 0, maxRate: 1, points: 10 }), { kind: "value" });
  problem(assert, () => frequencyCurve({ price: 1, maxRate: 1, points: 1e12 }), {});
});

test("an optional field may be undefined or null, which means that it is left out", () => {
  const items = { rate: [1, 2, 3] };
  const plain = allocate({ items, budget: 3 });
  for (const absent of [undefined, null]) {
    for (const field of ["model", "metric", "policy", "order", "target", "hostCaps"]) {
      assert.deepEqual(allocate({ items, budget: 3, [field]: absent }), plain, `${field}: ${absent}`);
    }
    for (const column of ["weight", "cost", "count", "min", "max", "shape", "alpha", "beta", "host"]) {
      assert.deepEqual(allocate({ items: { ...items, [column]: absent }, budget: 3 }), plain, `${column}: ${absent}`);
    }
    assert.equal(frequencyCurve({ price: 1, maxRate: 1, points: 3, order: absent, shape: absent }).cutoff, 1);
  }
});

test("a field of the wrong type is named", () => {
  const items = { rate: [1, 2, 3] };
  for (const [column, request] of Object.entries({
    budget: { items, budget: "1" },
    metric: { items, budget: 1, metric: "fresh" },
    order: { items, budget: 1, order: 5 },
    items: { items: null, budget: 1 },
    rate: { items: { rate: new BigInt64Array(3) }, budget: 1 },
    weight: { items: { ...items, weight: new DataView(new ArrayBuffer(24)) }, budget: 1 },
    cost: { items: { ...items, cost: "cheap" }, budget: 1 },
    hostCaps: { items, budget: 1, hostCaps: 3 },
  })) {
    problem(assert, () => allocate(request), { kind: "field", column });
  }
  problem(assert, () => frequencyCurve({ price: 1, maxRate: 1, points: -1 }), { kind: "field", column: "points" });
  problem(assert, () => allocate({ items: { rate: new Uint8Array(2 ** 26 + 1) }, budget: 1 }), {
    kind: "size",
    column: "rate",
  });
});

test("a failed call leaves the module as it was", () => {
  problem(assert, () => allocate({ items: { rate: [NaN] }, budget: 1 }), { kind: "value" });
  near(assert, [allocate({ items: { rate: [1] }, budget: 1 }).freshness], [1 - Math.exp(-1)], 1e-14);
});

test("a million items are solved and proven", () => {
  const rate = Float64Array.from({ length: 1_000_000 }, (_, i) => 10 ** (-4 + (6 * i) / 1_000_000));
  const plan = allocate({ items: { rate }, budget: 1_000_000 });
  assert.ok(plan.gap <= 1e-9);
  near(assert, [plan.spent], [1_000_000], 1e-9);
  assert.equal(plan.idle, plan.frequency.filter((f) => f === 0).length);
});
