// Files to take away, read by programs that know nothing of Afresh.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import ICAL from "ical.js";
import afresh, { problem } from "./afresh.mjs";

const KNOBS = { model: "poisson", metric: "freshness", order: "fixed", policy: "uniform" };
const START = 20775; // 2026-11-18T00:00Z

const NAMES = [
  "numpy",
  "a,b;c\\d\\n",
  "two\nlines",
  "BEGIN:VEVENT",
  "x\r\nEND:VEVENT\r\nBEGIN:VEVENT",
  'say "hi", 50 %',
  "naïve 😀 日本語",
  "😀é".repeat(250),
];
/** A name as a file of lines has it. */
const oneLine = (name) => name.replace(/\p{Cc}/gu, " ");

function dataset(names, rate = 1) {
  const reading = new afresh.Reading("pages.json");
  reading.push(new TextEncoder().encode(JSON.stringify(names.map((id) => ({ id, rate })))));
  reading.end();
  while (!reading.step().done);
  const table = reading.finish();
  const mapper = table.mapper(table.mapping());
  while (!mapper.step().done);
  return mapper.finish(false);
}

function timetable(set, budget, request) {
  set.plan({ ...KNOBS, budget });
  const scheduling = set.schedule({ start: START, ...request });
  while (!scheduling.step().done);
  return scheduling.finish();
}

function events(text) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  assert.equal(calendar.name, "vcalendar");
  assert.equal(calendar.getFirstPropertyValue("version"), "2.0");
  return calendar.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));
}

test("a calendar holds every visit of the timetable, whatever the names are", () => {
  const made = timetable(dataset(NAMES), 12, { horizon: 5, slot: 0.25 });
  const visits = JSON.parse(made.text("json"));
  assert.equal(visits.length, made.summary().visits);
  const found = events(made.text("ical"));
  assert.equal(new Set(found.map(({ uid }) => uid)).size, found.length);
  const listed = found.flatMap((event) => {
    const [from, to] = [event.startDate.toJSDate(), event.endDate.toJSDate()];
    assert.ok(to - from === 6 * 3600e3 && from >= START * 86400e3, `${from} to ${to}`);
    const lines = event.description.split("\n");
    for (const line of lines) {
      // Moments are written to the second, so one at the very end of a slot may be rounded up to it.
      const at = new Date(line.slice(0, 20));
      assert.ok(at >= from && at <= to, `${line} is not within ${from} and ${to}`);
    }
    return lines;
  });
  assert.deepEqual(
    listed,
    visits.map(({ time, id }) => `${time} ${oneLine(id)}`),
  );
  const only = found.find((event) => event.description.split("\n").length === 1 && event.description.endsWith("numpy"));
  if (only) assert.equal(only.summary, "Visit numpy");
});

test("titles of events speak of the set's own things", () => {
  const file = new URL("../../crate/src/ingest/examples/packages.csv.gz", import.meta.url);
  const set = afresh.Dataset.example("packages", readFileSync(file));
  const found = events(timetable(set, 3, { horizon: 10, slot: 1 }).text("ical"));
  assert.equal(found.length, 10);
  for (const { summary } of found) assert.match(summary, /^Visit 3 packages: \S+, \S+, \S+$/);
});

test("a to-do list has a line for each visit, on the clock it is asked for", () => {
  const made = timetable(dataset(NAMES), 3, { horizon: 5 });
  const list = made.text("to-do", 60);
  assert.match(list, /Times are UTC\+01:00/);
  const boxes = list.split("\n").filter((line) => line.startsWith("[ ] "));
  const visits = JSON.parse(made.text("json"));
  assert.deepEqual(
    boxes,
    visits.map(({ time, id }) => {
      const local = new Date(Date.parse(time) + 3600e3).toISOString();
      return `[ ] ${local.slice(11, 16)} ${oneLine(id)}`;
    }),
  );
  problem(assert, () => made.text("to-do", 100_000), { kind: "value", column: "offset" });
});

test("the plan goes to cron, and each format says what it cannot do", () => {
  const set = dataset(NAMES);
  const made = timetable(set, 8, { horizon: 1, slot: 1 / 86400 });
  assert.equal(set.text("crontab").match(/^\d.* "\$\{AFRESH_VISIT:\?\}" '/gm).length, 5);
  problem(assert, () => set.text("ical"), { kind: "field", hint: /crontab/ });
  problem(assert, () => made.text("crontab"), { kind: "field", hint: /ical/ });
  const many = timetable(dataset(["a"], 1), 20_000, { horizon: 1, slot: 1 / 20_000 });
  problem(assert, () => many.text("ical"), { kind: "size", message: /20000/, hint: /slots/ });
});
