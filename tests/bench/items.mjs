// The same million rates everywhere: log-uniform from 1e-4 to 1e2, by a linear congruential generator that each language repeats.
export const ITEMS = 1_000_000;
export const BUDGET = 1_000_000;

export function rates(count = ITEMS) {
  const rate = new Float64Array(count);
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    rate[i] = 10 ** (-4 + (6 * state) / 2 ** 32);
  }
  return rate;
}

/** A CSV of about 50 bytes a row with an address, a mean interval and a weight. */
export function csv(rows) {
  const rate = rates(rows);
  const lines = ["url,interval_days,weight"];
  for (let i = 0; i < rows; i++) {
    lines.push(`https://site${i % 5000}.example.org/p/${i},${(1 / rate[i]).toFixed(6)},${1 + (i % 9)}`);
  }
  return lines.join("\n") + "\n";
}

/**
 * The middle of a few timings in milliseconds, once the engine has compiled what it runs; of three such middles the least, since
 * whatever else a machine does makes a program slower and never faster.
 */
export function median(run, times = 7) {
  for (const from = performance.now(); performance.now() - from < 1500;) run();
  const middle = () => {
    const taken = Array.from({ length: times }, () => {
      const from = performance.now();
      run();
      return performance.now() - from;
    });
    return taken.sort((a, b) => a - b)[times >> 1];
  };
  return Math.min(middle(), middle(), middle());
}
