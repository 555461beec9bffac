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
  await expect(answer(page)).toContainText(/quer(y|ies)\s+refresh/);
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
  await expect(queries(page).locator("tbody")).toContainText("server");
  await chosen(page);

  // Small tables of counts travel in the link.
  expect(await linked(page, "probe")).toContain("#probe/p2.");
  const second = await browser.newContext();
  const third = await second.newPage();
  await third.goto(page.url());
  await expect(third.getByText("counts.csv: keyword, counted in count. 7 of 9 rows used; 1 cell")).toBeVisible();
  await chosen(third);
  expect((await text(third)).text).toBe((await text(page)).text);
  expect(await answer(third).innerText()).toBe(await answer(page).innerText());
  // And come back after a reload.
  await third.reload();
  await expect(third.getByText("counts.csv: keyword, counted in count.")).toBeVisible();
  await second.close();
});

const give = (page: Page, label: string, name: string, content: string) =>
  page.getByLabel(label).setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) });

test("a sample of the source is counted, its factor fitted to known counts and shown with its spread", async ({
  page,
}) => {
  await openProbe(page);
  await upload(page, "papers.csv", PAPERS);
  await expect(answer(page)).toContainText("of the 60 rows");
  await give(page, "Choose a sample of the server", "sample.csv", PAPERS);
  await expect(
    page.getByText("sample.csv: a sample of 60 rows, 60 of them with keywords of this table."),
  ).toBeVisible();
  await expect(page.getByText("One tuple of the sample stands for 1 of the server, for want of counts")).toBeVisible();
  await expect(queries(page).locator("tbody")).toContainText("sample");
  // Number0 to Number4 are in 12 rows each: factors of 4, 5 and 6.
  await give(page, "Choose counts of the server", "known.csv", "keyword,count\nnumber0,48\nnumber1,60\nnumber2,72\n");
  await expect(
    page.getByText("stands for 5 of the server (4.47 to 5.48), fitted to 3 counts known of both"),
  ).toBeVisible();
  await page.getByRole("textbox", { name: "One tuple of the sample stands for" }).fill("7");
  await expect(page.getByText("known of both")).toHaveCount(0);
  await chosen(page);
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: "forget all counts" }).click();
  await expect(page.getByText("None of its counts are known")).toBeVisible();
});

test("a table of counts too long for a link is asked for by name where the link is opened", async ({
  page,
  browser,
}) => {
  await openProbe(page);
  await upload(page, "papers.csv", PAPERS);
  await expect(answer(page)).toContainText("of the 60 rows");
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647);
  const long = `keyword,count\nAuthor 1,40\n${Array.from({ length: 3_000 }, () => `w${random()},${random()}`).join("\n")}\n`;
  await give(page, "Choose counts of the server", "long.csv", long);
  await expect(page.getByText("long.csv: keyword, counted in count. 1 of 3,001 rows used")).toBeVisible();
  await chosen(page);
  const address = await linked(page, "probe");
  const mine = await text(page);
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(address);
  await expect(other.getByRole("heading", { name: "This plan needs the file long.csv" })).toBeVisible();
  await give(other, "Choose the plan’s file", "other.csv", "keyword,count\na,1\n");
  await expect(other.getByRole("alert")).toContainText("is a different file");
  await give(other, "Choose the plan’s file", "long.csv", long);
  await expect(other.getByText("long.csv: keyword, counted in count.")).toBeVisible();
  await chosen(other);
  expect((await text(other)).text).toBe(mine.text);
  await context.close();
  // Kept on this machine, it needs no file.
  await page.goto("about:blank");
  await page.goto("./#probe");
  await expect(page.getByText("long.csv: keyword, counted in count.")).toBeVisible();
});

test("past changes give rates; every bad cell is told", async ({ page }) => {
  await openProbe(page);
  const cited = Array.from(
    { length: 30 },
    (_, i) => `p${i},Topic ${i % 4} word${i % 7},${i % 9},2024-01-${10 + (i % 9)}`,
  );
  await upload(page, "cited.csv", `paper,title,citations,first seen\n${cited.join("\n")}\nbad,Topic 1,-4,soon\n`);
  await expect(page.getByRole("heading", { name: "1 row of 31 cannot be used" })).toBeVisible();
  await expect(page.getByText("below 0")).toBeVisible();
  await expect(page.getByText("not a date")).toBeVisible();
  await page.getByRole("button", { name: "Drop this row, use 30" }).click();
  await expect(answer(page)).toContainText("of the 30 rows");
  await expect(page.getByText("number of changes, in a …: citations", { exact: false })).toBeVisible();
});

test("first pages and few keywords have their certificate too", async ({ page }) => {
  await openProbe(page);
  await page.getByRole("radio", { name: "The first page" }).check({ force: true });
  await expect(answer(page)).toContainText(
    /At most \d[\d.]* × the fewest possible: no queries\s+are expected to gain as much/,
  );
  await page.getByRole("radio", { name: "All pages" }).check({ force: true });
  await page.getByText("Stop rules, costs, staleness").click();
  await page.getByRole("textbox", { name: "Most frequent keywords considered" }).fill("20");
  await expect(answer(page)).toContainText(/At most \d[\d.]* × the fewest possible: no queries, of any keywords,/);
});

test("hostile tables are answered or refused in words", async ({ page }) => {
  const errors = watchErrors(page);
  await openProbe(page);
  // A keyword in every row, rows without any, and letters of many scripts.
  await upload(page, "scripts.csv", "name,tags\na,общее; 検索\nb,общее; ÉTÉ\nc,общее; हिन्दी\nd,\n");
  await expect(answer(page)).toContainText("1 query refreshes 75.0 % of the 4 rows");
  await expect(answer(page)).toContainText("1 row cannot be reached, for want of keywords");
  // Counts below those of the table, counts that are none, and a pair without its margins.
  await give(page, "Choose counts of the server", "low.csv", "keyword,count\nобщее,1\n検索,-5\n");
  await expect(page.getByText("“-5” is below 0")).toBeVisible();
  await expect(queries(page).locator("tbody tr").first()).toContainText("3");
  await give(page, "Choose counts of the server", "pairs.csv", "a,b,count\nобщее,ÉTÉ,4\n");
  await expect(page.getByText("pairs.csv: a with b, counted in count. 1 of 1 row used")).toBeVisible();
  await chosen(page);
  // No keyword at all.
  await give(page, "Choose counts of the server", "words.csv", "just,words\nno,numbers\n");
  await expect(page.getByRole("alert")).toContainText("no column of keywords with a column of counts");
  // Cells of ten thousand words.
  const words = Array.from({ length: 10_000 }, (_, k) => `w${k}`);
  await upload(page, "long.csv", `name,text\na,${words.join(" ")}\nb,${words.slice(5_000).join(" ")}\nc,w9999 alone\n`);
  await expect(answer(page)).toContainText("of the 3 rows", { timeout: 20_000 });
  await expect(answer(page)).toContainText("most frequent keywords of each row only");
  expect(errors).toEqual([]);
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

for (const [title, says] of [
  ["Legal documents by keyword", "documents"],
  ["Synthetic citations", "200 queries refresh 100 % of the 1,000 papers with 200 requests"],
] as const)
  test(`the example ${title} opens solved`, async ({ page }) => {
    await openProbe(page);
    await page.getByRole("combobox", { name: "Example" }).selectOption({ label: title });
    await expect(answer(page)).toContainText(says);
    await chosen(page);
    await expect(page.locator("figure")).toHaveCount(3);
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
