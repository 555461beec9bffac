// How long 100,000 events of 2,000 items take under all policies, in Node: `node tests/bench/replay.mjs` after `./build.sh module`.
import init, { Replaying } from "../../dist/module/afresh.js";

await init();
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const [items, events] = [2000, 100000];
const item = Uint32Array.from({ length: events }, () => Math.floor(items * random() ** 3));
const time = Float64Array.from({ length: events }, () => 1460 * random());
for (let round = 0; round < 3; round++) {
  const began = performance.now();
  const job = new Replaying({ item, time, trainFrom: 0, trainTo: 1095, testTo: 1460, budget: items / 7 });
  let longest = performance.now() - began;
  const fit = longest;
  for (let done = false; !done;) {
    const stepped = performance.now();
    done = job.step().done;
    longest = Math.max(longest, performance.now() - stepped);
  }
  job.finish();
  const total = performance.now() - began;
  console.log(`${total.toFixed(0)} ms in all, ${fit.toFixed(0)} ms to fit, longest step ${longest.toFixed(0)} ms`);
}
