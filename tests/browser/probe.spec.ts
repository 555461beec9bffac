import { expect, test, type Page } from "@playwright/test";
import { answer, download, expectNoAxeViolations, linked, upload, watchErrors } from "./lab";

const PAPERS = [
  "paper,authors,title,changes per day,weight",
  ...Array.from(
    { length: 60 },
    (_, i) =>
      `paper ${i},Author ${i % 7}${i % 3 ? `; Author ${i % 11}` : ""},Number${i % 5} of topic${i % 13},${(1 + (i % 4)) / 8},${1 + (i % 3)}`,
  ),
].join("\n");

/** Waits until the queries are chosen and nothing is under way. */
async function chosen(page: Page) {
  await expect(answer(page)).toContainText(/quer(y|ies) refresh/);
  await expect(page.getByRole("progressbar")).toHaveCount(0);
}

async function openProbe(page: Page) {
  await page.goto("./#probe");
  await chosen(page);
}

const queries = (page: Page) => page.getByRole("region", { name: "Every query" });

async function text(page: Page) {
  return download(page, () => queries(page).getByRole("button", { name: "as plain text" }).click());
}

test("it opens solved on the packages, with its certificate and what each query refreshes", async ({ page }) => {
  const errors = watchErrors(page);
  await openProbe(page);
  await expect(answer(page)).toContainText("of the 1,697 packages");
  await expect(answer(page)).toContainText(/At most 1\.\d+ × the fewest possible/);
  await expect(answer(page)).toContainText("packages need no query");
  await expect(page.locator("figure")).toHaveCount(3);
  const first = queries(page).locator("tbody tr").first();
  await first.getByRole("button").click();
  await expect(queries(page).getByRole("region", { name: /^Rows of/ })).toContainText("is the first to refresh");
  await expectNoAxeViolations(page);
  expect(errors).toEqual([]);
});

test("a table of one's own: attributes, queries, and a text file; its link opens elsewhere", async ({
  page,
  browser,
}) => {
  await openProbe(page);
  await upload(page, "papers.csv", PAPERS);
  await expect(answer(page)).toContainText("of the 60 rows");
  await expect(page.getByText("keywords: a list: authors")).toBeVisible();
  await page.getByRole("textbox", { name: "Results on a page" }).fill("25");
  await chosen(page);
  const mine = await text(page);
  expect(mine.name).toBe("afresh-queries.txt");
  expect(mine.text.trim().split("\n").length).toBeGreaterThan(1);
  expect(mine.text).toMatch(/Author|number|topic/);

  await linked(page, "probe");
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(page.url());
  await chosen(other);
  await expect(other.getByRole("textbox", { name: "Results on a page" })).toHaveValue("25");
  expect((await text(other)).text).toBe(mine.text);
  expect(await answer(other).innerText()).toBe(await answer(page).innerText());
  await context.close();

  // Counts from a second file: what was understood, and where each query's count comes from.
  await page.getByLabel("Choose counts of the server").setInputFiles({
    name: "counts.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(
      "keyword,count\nAuthor 1,40\nAuthor 2,900\nnumber0,14\nnumber1,15\nnumber2,16\nnumber3,17\nnumber4,18\nunheard of,3\nAuthor 4,many\n",
    ),
  });
  await expect(page.getByText("counts.csv: keyword, counted in count. 7 of 9 rows used; 1 cell")).toBeVisible();
  await expect(page.getByText("links and plans do not carry them")).toBeVisible();
  await expect(queries(page).locator("tbody")).toContainText("server");
});

test("what cannot be used is told in words", async ({ page }) => {
  await openProbe(page);
  const before = await answer(page).innerText();
  await upload(page, "numbers.csv", "name,rate\na,1\nb,2\n");
  await expect(page.getByRole("alert")).toContainText(/no column gives keywords/i);
  await expect(page.getByText("These columns do not make a plan yet.")).toBeVisible();
  expect(await answer(page).innerText()).toBe(before);
  await page.getByRole("button", { name: "Keep the old data" }).click();
  await upload(page, "bad.csv", PAPERS.replace(",0.25,", ",soon,"));
  await expect(page.getByRole("heading", { name: "1 row of 60 cannot be used" })).toBeVisible();
  await page.getByRole("button", { name: "Drop this row, use 59" }).click();
  await expect(answer(page)).toContainText("of the 59 rows");
});

test("order, pace and frequency follow the target; the most frequent keywords are compared on request", async ({
  page,
}) => {
  await openProbe(page);
  await page.getByRole("combobox", { name: "Example" }).selectOption({ label: "Four elements" });
  await expect(answer(page)).toContainText("2 queries refresh 100 % of the 4 elements with 2 requests");
  await expect(answer(page)).toContainText("Order decides only how a round ends");
  // The paper's Table 3: with a query a day, small aᵢ first, the round ends at 0.375.
  await expect(answer(page)).toContainText("content freshness of 0.375");
  await page.getByRole("textbox", { name: "Target α of a round" }).fill("0.1");
  await expect(page.getByText("at the most, for this target")).toBeVisible();
  await page.getByRole("button", { name: "Compare by attribute" }).click();
  await expect(page.locator("figure")).toHaveCount(5);
  await page.getByRole("radio", { name: "Synthetic citations" }).check({ force: true });
  await expect(page.getByText("the paper’s 1,000 citations")).toBeVisible();
  await expectNoAxeViolations(page);
});

for (const width of [360, 1280])
  for (const colorScheme of ["light", "dark"] as const)
    test(`nothing sticks out at ${width} px, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await openProbe(page);
      const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(wide).toBeLessThanOrEqual(room!);
      await expectNoAxeViolations(page);
    });
