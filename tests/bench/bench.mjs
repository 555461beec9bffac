// The benchmark table of the README, all from one run: node tests/bench/bench.mjs (./build.sh bench).
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import init, * as afresh from "../../dist/module/afresh.js";
import { BUDGET, csv, median, rates } from "./items.mjs";

const root = new URL("../..", import.meta.url).pathname;
const rows = [];
const ms = (value) => (value === undefined ? "–" : value >= 100 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`);
const add = (what, measured, bar, holds) => rows.push({ what, measured, bar, holds });

function native() {
  const out = execFileSync("cargo", ["bench", "--quiet", "--bench", "native"], { cwd: root, encoding: "utf8" });
  return JSON.parse(out.trim().split("\n").at(-1));
}

function scipy() {
  try {
    return JSON.parse(
      execFileSync("python3", [join(root, "tests/bench/scipy_solution.py")], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
  } catch {
    return undefined; // no Python with SciPy here
  }
}

function solve(module, metric) {
  const rate = rates();
  return median(() => module.allocate({ items: { rate }, budget: BUDGET, metric }));
}

/** Reads, maps and solves a CSV as the page's worker does. */
function readAndSolve(module, bytes) {
  const from = performance.now();
  const reading = new module.Reading("pages.csv");
  for (let at = 0; at < bytes.length; at += 65536) reading.push(bytes.subarray(at, at + 65536));
  reading.end();
  while (!reading.step().done);
  const table = reading.finish();
  const mapper = table.mapper(table.mapping());
  while (!mapper.step().done);
  const dataset = mapper.finish(false);
  table.free();
  dataset.plan({ model: "poisson", metric: "freshness", order: "fixed", policy: "optimal", budget: BUDGET });
  const taken = performance.now() - from;
  dataset.free();
  return taken;
}

/** Numbers from 0 to 1 that look random and are the same each time. */
function scattered() {
  let state = 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** 100,000 events of 2,000 items, replayed under every policy. */
function replayed(module) {
  const random = scattered();
  const item = Uint32Array.from({ length: 100_000 }, () => Math.floor(2_000 * random() ** 3));
  const time = Float64Array.from({ length: 100_000 }, () => 1460 * random());
  return median(() => {
    const job = new module.Replaying({ item, time, trainFrom: 0, trainTo: 1095, testTo: 1460, budget: 2_000 / 7 });
    while (!job.step().done);
    job.finish();
  });
}

/** Queries of one or two keywords for 100,000 rows of ten keywords out of 20,000, some far more frequent than others. */
function probed(module, cost) {
  const random = scattered();
  const rows = Array.from({ length: 100_000 }, () =>
    Array.from({ length: 10 }, () => `k${Math.floor(20_000 ** random())}`),
  );
  const from = performance.now();
  module.probes({ rows, cost });
  return performance.now() - from;
}

async function inBrowser(folder) {
  const server = spawn("node", [join(root, "www/serve.mjs"), join(root, "dist")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(server.stdout, "data");
  const address = /http:\S+/.exec(String(line))[0];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${address}module/package.json`);
    const solved = await page.evaluate(
      async ([budget, source]) => {
        const module = await import(new URL("afresh.js", location.href).href);
        await module.default();
        const { rates, median } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
        const rate = rates();
        const time = (metric) => median(() => module.allocate({ items: { rate }, budget, metric }));
        return { freshness: time("freshness"), age: time("age") };
      },
      [BUDGET, readFileSync(join(root, "tests/bench/items.mjs"), "utf8")],
    );
    const cold = [];
    for (let k = 0; k < 5; k++) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const fresh = await context.newPage();
      await fresh.goto(address);
      await fresh.locator("figure svg").first().waitFor();
      cold.push(await fresh.evaluate(() => performance.now()));
      await context.close();
    }
    const small = join(folder, "ten-thousand.csv");
    writeFileSync(small, csv(10_000));
    await page.goto(address);
    await page.locator("figure svg").first().waitFor();
    await page.getByLabel("Choose a file").setInputFiles(small);
    await page.getByText("10,000 items").first().waitFor();
    await page.waitForTimeout(1500);
    const turn = () =>
      page.evaluate(async () => {
        const slider = document.querySelector("input[type=range]");
        const charts = [...document.querySelectorAll("figure")].slice(0, 3);
        const taken = [];
        for (let k = 0; k < 9; k++) {
          const left = new Set(charts);
          const from = performance.now();
          const drawn = new Promise((resolve) => {
            const watch = new MutationObserver((changes) => {
              for (const { target } of changes) left.delete(charts.find((chart) => chart.contains(target)));
              if (left.size > 0) return;
              watch.disconnect();
              resolve(performance.now() - from);
            });
            for (const chart of charts)
              watch.observe(chart, { childList: true, subtree: true, attributes: true, characterData: true });
          });
          slider.stepUp(k % 2 ? -9 : 10);
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          taken.push(await drawn);
          await new Promise((resolve) => setTimeout(resolve, 700));
        }
        return taken.sort((a, b) => a - b)[4];
      });
    const knob = Math.min(await turn(), await turn(), await turn());
    return { ...solved, cold: Math.min(...cold), knob };
  } finally {
    await browser.close();
    server.kill();
  }
}

function sizes() {
  const gzip = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
  const assets = join(root, "dist/assets");
  const scripts = readdirSync(assets).filter((name) => name.endsWith(".js"));
  return {
    wasm: gzip(join(root, "dist/module/afresh_bg.wasm")),
    js: scripts.reduce((sum, name) => sum + gzip(join(assets, name)), 0),
  };
}

const folder = mkdtempSync(join(tmpdir(), "afresh-bench-"));
try {
  const { memory } = await init();
  const natively = native();
  const node = { freshness: solve(afresh, "freshness"), age: solve(afresh, "age") };
  const browser = await inBrowser(folder);
  const python = scipy();
  const file = new TextEncoder().encode(csv(1_000_000));
  const csvTime = Math.min(...[1, 2, 3].map(() => readAndSolve(afresh, file)));
  const mebibytes = memory.buffer.byteLength / 2 ** 20;
  const history = replayed(afresh);
  const queries = { tuples: probed(afresh, "tuples"), requests: probed(afresh, "requests") };
  const size = sizes();

  for (const metric of ["freshness", "age"]) {
    add(`optimal allocation of 1,000,000 items, ${metric}: natively`, ms(natively[metric]), "", undefined);
    add("… in Node", ms(node[metric]), "≤ 2 × native", node[metric] <= 2 * natively[metric]);
    add("… in Chromium", ms(browser[metric]), "≤ 150 ms", browser[metric] <= 150);
  }
  add(
    "… by SciPy (lambertw + brentq), freshness",
    ms(python?.ms),
    "≥ 20 × Chromium",
    python && python.ms >= 20 * browser.freshness,
  );
  add("knob → new charts, 10,000 items, in Chromium", ms(browser.knob), "≤ 50 ms", browser.knob <= 50);
  add(
    `1,000,000-row CSV (${(file.length / 1e6).toFixed(0)} MB) read, mapped, solved, in Node`,
    ms(csvTime),
    "≤ 1500 ms",
    csvTime <= 1500,
  );
  add("… wasm memory after it", `${Math.round(mebibytes)} MiB`, "≤ 1024 MiB", mebibytes <= 1024);
  add("100,000 events of 2,000 items replayed under 14 policies, in Node", ms(history), "≤ 3000 ms", history <= 3000);
  for (const [cost, time] of Object.entries(queries))
    add(
      `keyword probes paid in ${cost}, 100,000 rows × 10 keywords, pairs, in Node`,
      ms(time),
      "≤ 2000 ms",
      time <= 2000,
    );
  add("cold load to first solved chart, localhost", ms(browser.cold), "≤ 1000 ms", browser.cold <= 1000);
  add("wasm, gzipped", `${(size.wasm / 1000).toFixed(0)} kB`, "≤ 400 kB", size.wasm <= 400e3);
  add("all JavaScript, gzipped", `${(size.js / 1000).toFixed(0)} kB`, "≤ 250 kB", size.js <= 250e3);

  console.log("| what | measured | bar | |\n|---|---|---|---|");
  for (const { what, measured, bar, holds } of rows) {
    console.log(`| ${what} | ${measured} | ${bar} | ${holds === undefined ? "" : holds ? "✓" : "✗"} |`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
