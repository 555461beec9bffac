// The built package, as a consumer has it: imported by its folder's entry, initialised without arguments.
import init, * as afresh from "../../dist/module/afresh.js";

await init();

export default afresh;

/** Asserts that `call` throws an Error with these fields; returns it. */
export function problem(assert, call, fields) {
  let caught;
  assert.throws(call, (error) => {
    caught = error;
    return error instanceof Error;
  });
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof RegExp) assert.match(String(caught[name]), value, `${name} of: ${caught.message}`);
    else assert.equal(caught[name], value, `${name} of: ${caught.message}`);
  }
  assert.ok(caught.hint.length > 5, "a problem says what to do");
  return caught;
}

/** Asserts that two lists of numbers agree to a relative tolerance. */
export function near(assert, actual, expected, tolerance = 1e-9) {
  const [a, e] = [[actual].flat(), [expected].flat()].map((list) =>
    list.flatMap((x) => Array.from(x.length === undefined ? [x] : x)),
  );
  assert.equal(a.length, e.length);
  e.forEach((value, i) => {
    const scale = Math.max(Math.abs(value), Number.MIN_VALUE);
    assert.ok(value === a[i] || Math.abs(a[i] - value) <= tolerance * scale, `entry ${i}: ${a[i]} is not ${value}`);
  });
}
