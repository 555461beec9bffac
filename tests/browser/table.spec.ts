import { expect, test, type Locator, type Page } from "@playwright/test";
import { answer, expectNoAxeViolations, linked, open, watchErrors } from "./lab";

/** A row is so many pixels tall. */
const ROW = 36;

const items = (page: Page) => page.getByRole("region", { name: /^Every package/ });
/** Rows count from 1, the head's. */
const row = (table: Locator, index: number) => table.locator(`tr[aria-rowindex="${index + 2}"]`);

/** Which row is at the top of a scrolled table, below its head. */
function topRow(table: Locator): Promise<number> {
  return table.getByRole("region", { name: "Items" }).evaluate((scroller) => {
    const { left, top } = scroller.getBoundingClientRect();
    const head = scroller.querySelector("thead")!.getBoundingClientRect().height;
    const found = document.elementFromPoint(left + 20, top + head + 4)?.closest("tr");
    return Number(found?.getAttribute("aria-rowindex")) - 2;
  });
}

test("arrow keys walk the rows, as far as the last of them, and one row is in the order of the Tab key", async ({
  page,
}) => {
  const errors = watchErrors(page);
  await open(page);
  const table = items(page);
  await row(table, 0).getByRole("button").first().focus();
  for (const [key, index] of [
    ["ArrowDown", 1],
    ["ArrowDown", 2],
    ["ArrowUp", 1],
    ["PageDown", 13],
    ["End", 1696],
    ["ArrowDown", 1696],
    ["PageUp", 1684],
    ["Home", 0],
    ["ArrowUp", 0],
  ] as const) {
    await page.keyboard.press(key);
    const focused = row(table, index).locator("button.name");
    await expect(focused, `${key} goes to row ${index}`).toBeFocused();
    await expect(focused).toBeInViewport();
  }
  await expect(table.locator('button[data-index][tabindex="0"]')).toHaveCount(2);
  await page.keyboard.press("Tab");
  await expect(row(table, 0).locator("button.why")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(row(table, 1).locator("button.why")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(table.locator(":focus"), "Tab leaves the rows").toHaveCount(0);
  expect(errors).toEqual([]);
});

test("a row opens by keyboard, says so, and closes again", async ({ page }) => {
  await open(page);
  const table = items(page);
  const why = row(table, 1).locator("button.why");
  await expect(why).toHaveAttribute("aria-expanded", "false");
  await why.focus();
  await page.keyboard.press("Enter");
  await expect(why).toHaveAttribute("aria-expanded", "true");
  await expect(page.locator(`[id="${await why.getAttribute("aria-controls")}"]`)).toContainText(/worth|buys/);
  await expectNoAxeViolations(page);
  // Another one takes its place.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(row(table, 2).locator("button.why")).toHaveAttribute("aria-expanded", "true");
  await expect(table.locator('[aria-expanded="true"]')).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(table.locator('[aria-expanded="true"]')).toHaveCount(0);
});

test("scrolling past an open row neither jumps nor closes it", async ({ page }) => {
  await open(page);
  const table = items(page);
  const scroller = table.getByRole("region", { name: "Items" });
  await row(table, 2).locator("button.why").click();
  const detail = table.locator(".detail");
  await expect(detail).toBeVisible();
  const tall = (await detail.boundingBox())!.height;
  await scroller.scrollIntoViewIfNeeded();
  for (const rows of [4, 20, 300, 1600]) {
    // So many rows and what stands open are above the top.
    await scroller.evaluate((element, top) => (element.scrollTop = top), Math.round(rows * ROW + tall));
    await expect.poll(() => topRow(table), `row ${rows} is on top`).toBe(rows);
  }
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await expect(row(table, 1696)).toBeInViewport();
  await scroller.evaluate((element) => (element.scrollTop = 0));
  await expect.poll(() => topRow(table)).toBe(0);
  await expect(detail).toBeInViewport();
});

test("what stands open goes with its row when the table is sorted anew, and closes when the row is gone", async ({
  page,
}) => {
  await open(page);
  const table = items(page);
  await table.getByRole("searchbox").fill("django-r");
  await expect(table).toContainText("found for “django-r”");
  const name = await row(table, 0).locator("button.name").innerText();
  await row(table, 0).locator("button.why").click();
  await table.getByRole("button", { name: "package" }).click();
  await table.getByRole("button", { name: "package" }).click();
  const why = table.getByRole("button", { name: `Why ${name}?` });
  await expect(why).toHaveAttribute("aria-expanded", "true");
  await expect(table.locator(".because")).toHaveCount(1);
  await table.getByRole("searchbox").fill("numpy");
  await expect(table.locator(".because")).toHaveCount(0);
});

for (const [lab, says, column, way] of [
  ["allocate", /visits? a day/, "age", "descending"],
  ["replay", /kept [\d.]+ % up to date/, "age", "ascending"],
  ["probe", /queries refresh/, "score", "descending"],
] as const)
  test(`a sorted table reopens sorted from its link: ${lab}`, async ({ page, browser }) => {
    const table = (from: Page) => from.getByRole("table").filter({ hasText: "?" }).first();
    await page.goto(`./#${lab}`);
    await expect(answer(page)).toContainText(says);
    await table(page).getByRole("button", { name: column, exact: true }).click();
    await expect(page.getByRole("columnheader", { name: column, exact: true })).toHaveAttribute("aria-sort", way);
    const address = await linked(page, lab);
    const first = await table(page).locator("tbody tr:not(.space)").first().innerText();
    const other = await (await browser.newContext()).newPage();
    await other.goto(address);
    await expect(answer(other)).toContainText(says);
    await expect(other.getByRole("columnheader", { name: column, exact: true })).toHaveAttribute("aria-sort", way);
    await expect.poll(() => table(other).locator("tbody tr:not(.space)").first().innerText()).toBe(first);
    await other.context().close();
  });
