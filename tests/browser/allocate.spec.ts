import { expect, test } from "@playwright/test";
import { GERMAN, answer, download, expectNoAxeViolations, freshness, open, solved, upload, watchErrors } from "./lab";

test("opens solved on a real example, with every chart drawn", async ({ page }) => {
  const errors = watchErrors(page);
  await open(page);
  await expect(answer(page)).toContainText("packages");
  expect(await freshness(page)).toBeGreaterThan(50);
  const figures = page.getByRole("figure");
  await expect(figures).toHaveCount(7);
  for (const figure of await figures.all())
    await expect(figure.locator("svg path, svg circle, svg rect, svg line").first()).toBeAttached();
  await expectNoAxeViolations(page);
  expect(errors).toEqual([]);
});

test("a file with semicolons, decimal commas and two bad rows becomes a plan and a timetable", async ({ page }) => {
  await open(page);
  const before = await answer(page).innerText();
  await upload(page, "seiten.csv", GERMAN);
  const columns = page.getByRole("region", { name: /seiten\.csv/ });
  await expect(columns).toContainText("split by semicolons");
  await expect(columns.getByLabel(/Decimal comma/)).toBeChecked();
  expect(await answer(page).innerText(), "nothing is replaced before the person agrees").toBe(before);

  // The mapping is mended by hand, whatever was guessed.
  await columns.getByLabel("Meaning of Seite").selectOption("url");
  await columns.getByLabel("Meaning of alle wie viele Wochen").selectOption("interval");
  await columns.getByLabel("Unit of alle wie viele Wochen").selectOption("weeks");
  await columns.getByLabel("Meaning of Gewicht").selectOption("weight");
  await expect(columns).toContainText("2 rows of 42 cannot be used");
  const bad = columns.getByRole("region", { name: "Bad cells" });
  await expect(bad.getByRole("row").nth(1)).toContainText(/42.*alle wie viele Wochen.*bald/);
  await expect(bad.getByRole("row").nth(2)).toContainText(/43.*alle wie viele Wochen.*-3,5/);
  await expectNoAxeViolations(page);
  await columns.getByRole("button", { name: "Drop these 2 rows, use 40" }).click();
  await solved(page);
  await expect(answer(page)).toContainText("40 items");

  // Dragging the marker of the budget chart moves the budget and the answer.
  const small = await freshness(page);
  const marker = page.getByRole("slider", { name: "Budget marker" });
  await marker.scrollIntoViewIfNeeded();
  const box = (await marker.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 90, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  await solved(page);
  expect(await freshness(page)).toBeGreaterThan(small);

  await page.getByRole("radio", { name: "Age" }).check({ force: true });
  await expect(answer(page)).not.toContainText("up to date on average");
  await expect(answer(page)).toContainText(/days?|hours?|minutes?/);
  await solved(page);

  const budget = Number(await page.getByRole("textbox", { name: "Budget" }).inputValue());
  const { name, text } = await download(page, () =>
    page.getByRole("button", { name: "Download the timetable as CSV" }).click(),
  );
  expect(name).toMatch(/timetable.*\.csv$/);
  const [header, ...visits] = text
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  expect(header).toEqual(["time", "day", "id"]);
  // Every item is within a visit of its share.
  expect(Math.abs(visits.length - 7 * budget), `${visits.length} visits for ${budget} a day`).toBeLessThanOrEqual(40);
  const days = visits.map(([, day]) => Number(day));
  expect(days.every((day, i) => day >= 0 && day < 7 && (i === 0 || day >= days[i - 1]!))).toBe(true);
  for (const [time, , id] of visits) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(id).toMatch(/^https:\/\/host\d\.example\/seite-\d+$/);
  }
  const json = await download(page, () => page.getByRole("button", { name: "Download the timetable as JSON" }).click());
  expect(JSON.parse(json.text)).toHaveLength(visits.length);
  const plan = await download(page, () => page.getByRole("button", { name: "Download the plan as CSV" }).click());
  expect(plan.text.trim().split("\r\n")).toHaveLength(41);
});

test("the same by keyboard alone", async ({ page }) => {
  await open(page);
  const tabTo = async (
    name: RegExp | string,
    role: "button" | "textbox" | "radio" | "slider" | "combobox" | "link",
  ) => {
    const goal = page.getByRole(role, { name }).first();
    for (let k = 0; k < 250; k++) {
      if (await goal.evaluate((element) => element === document.activeElement)) return goal;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab never reaches ${role} ${String(name)}`);
  };
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the answer" })).toBeFocused();

  await tabTo("paste a table", "button");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.insertText(GERMAN);
  await tabTo("Use this table", "button");
  await page.keyboard.press("Enter");
  await expect(page.getByText("2 rows of 42 cannot be used")).toBeVisible();
  await tabTo(/Drop these 2 rows/, "button");
  await page.keyboard.press("Enter");
  await solved(page);
  await expect(answer(page)).toContainText("40 items");

  const small = await freshness(page);
  await page.locator("body").press("Home");
  await tabTo("Budget slider", "slider");
  for (let k = 0; k < 30; k++) await page.keyboard.press("ArrowRight");
  await solved(page);
  expect(await freshness(page)).toBeGreaterThan(small);

  await tabTo("Freshness", "radio");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Age" })).toBeChecked();
  await solved(page);
  await expect(answer(page)).toContainText(/days?|hours?|minutes?/);

  const chart = await tabTo(/^Read /, "slider");
  await page.keyboard.press("ArrowRight");
  const read = await chart.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowDown");
  expect(await chart.getAttribute("aria-valuetext")).not.toBe(read);

  await tabTo(/^Why /, "button");
  await page.keyboard.press("Enter");
  await expect(
    page
      .getByRole("row")
      .filter({ hasText: /worth|buys|visit/ })
      .first(),
  ).toBeVisible();
  await tabTo("Download the timetable as CSV", "button");
  const { text } = await download(page, () => page.keyboard.press("Enter"));
  expect(text).toMatch(/^time,day,id\r\n/);
});

test("a target is typed and its least budget is read", async ({ page }) => {
  await open(page);
  await page.getByLabel("Example").selectOption("example4");
  await solved(page);
  await page.getByRole("radio", { name: "I have a target" }).check({ force: true });
  await page.getByRole("textbox", { name: /Target/ }).fill("37.38887");
  await solved(page);
  await expect(answer(page)).toContainText(/5(\.00?)? visits a day/);
});

test("two elements show how the best split moves, and the fast one is given up", async ({ page }) => {
  await open(page);
  await page.getByLabel("Example").selectOption("two-elements");
  await solved(page);
  await expect(page.getByRole("figure")).toHaveCount(8);
  await expect(answer(page)).toContainText(/1 .*too fast/);
  await expectNoAxeViolations(page);
});

test("every row says why, and the table sorts and finds", async ({ page }) => {
  await open(page);
  await page.getByRole("searchbox", { name: "Search items" }).fill("numpy");
  const items = page.getByRole("region", { name: /Every package/ });
  await expect(items.getByRole("button", { name: "Why numpy?" })).toBeVisible();
  await items.getByRole("button", { name: "Why numpy?" }).click();
  await expect(
    items
      .getByRole("row")
      .filter({ hasText: /worth|buys/ })
      .first(),
  ).toBeVisible();
  await page.getByRole("searchbox", { name: "Search items" }).fill("");
  await items.getByRole("button", { name: /visit every/ }).click();
  await expect(items.getByRole("columnheader", { name: /visit every/ })).toHaveAttribute(
    "aria-sort",
    /ascending|descending/,
  );
});

test("charts are read as tables and taken away as SVG, PNG and CSV", async ({ page }) => {
  await open(page);
  const figure = page.getByRole("figure", { name: /budget/i }).first();
  const svg = await download(page, () => figure.getByRole("button", { name: "svg" }).click());
  expect(svg.text).toMatch(/^(<\?xml[^>]*>\s*)?<svg/);
  expect(svg.text, "colours are resolved").not.toContain("var(--");
  const csv = await download(page, () => figure.getByRole("button", { name: "csv" }).click());
  expect(csv.text.trim().split(/\r?\n/).length).toBeGreaterThan(10);
  const png = await download(page, () => figure.getByRole("button", { name: "png" }).click());
  expect(png.name).toMatch(/\.png$/);
  await figure.getByRole("button", { name: "table" }).click();
  expect(await figure.getByRole("row").count()).toBeGreaterThan(10);
  await expectNoAxeViolations(page);
});
