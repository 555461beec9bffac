import { expect, test, type Page } from "@playwright/test";
import { answer, download, expectNoAxeViolations, linked, upload, watchErrors } from "./lab";

/** Opens the lab and waits until it is replayed. */
async function open(page: Page, path = "./#replay") {
  await page.goto(path);
  await replayed(page);
}

async function replayed(page: Page) {
  await expect(answer(page)).toContainText(/kept [\d.]+ % up to date/, {
    timeout: 30_000,
  });
  await expect(answer(page)).toHaveAttribute("aria-busy", "false", {
    timeout: 30_000,
  });
}

const sentence = (page: Page) => answer(page).getByRole("heading").innerText();

/** Changes of 30 pages over 100 days, by a repeatable rule, and two rows that cannot be read. */
const EVENTS = [
  "page,changed at,hits",
  ...Array.from({ length: 600 }, (_, k) => {
    const time = new Date(Date.UTC(2026, 0, 1) + ((k * 7919) % 100_000) * 86_400);
    const page = Math.floor(30 * (((k * 61) % 97) / 97) ** 2);
    return `page-${page},${time.toISOString()},${1 + (page % 4)}`;
  }),
  "page-1,yesterday,1",
  ",2026-02-01T00:00:00Z,1",
].join("\n");

const VISITS = [
  "url,visited_at,changed",
  ...Array.from(
    { length: 400 },
    (_, k) => `u${k % 20},${1_790_000_000 + k * 43_200},${(k * 7) % (3 + (k % 20)) === 0 ? 1 : 0}`,
  ),
].join("\n");

test("opens on a real history, replayed, with every chart drawn", async ({ page }) => {
  const errors = watchErrors(page);
  await open(page);
  expect(await sentence(page)).toBe(
    "Over the 365 days of the test weibull kept 91.2 % up to date, 2.1 points more than visiting all alike and 2.4 points less than with the rates known in advance. Its model had promised 88.5 %, 2.7 points too little.",
  );
  await expect(answer(page)).toContainText("not Poisson");
  const figures = page.getByRole("figure");
  await expect(figures).toHaveCount(8);
  for (const figure of await figures.all())
    await expect.poll(() => figure.locator("svg path, svg circle, svg rect").count()).toBeGreaterThan(0);
  const rows = page.getByRole("region", { name: "Every policy, as it would have gone" }).getByRole("row");
  await expect(rows).toHaveCount(15);
  await expect(rows.nth(1)).toContainText("Hindsight");
  await expect(rows.nth(2)).toContainText("best");
  await expectNoAxeViolations(page);
  expect(errors).toEqual([]);
});

test("the split moves by keyboard and by drag, and the answer follows", async ({ page }) => {
  await open(page);
  const first = await sentence(page);
  const marker = page.getByRole("slider", { name: "Split marker" });
  await marker.focus();
  await page.keyboard.press("PageDown");
  await expect.poll(() => sentence(page)).not.toBe(first);
  await replayed(page);
  const second = await sentence(page);
  const box = (await marker.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x - 150, box.y + 20, { steps: 6 });
  await page.mouse.up();
  await expect.poll(() => sentence(page)).not.toBe(second);
  await replayed(page);
  await expect(page.getByLabel("Learn until, test from")).not.toHaveValue("2025-10-27");
});

test("events with bad rows become rates, a replay and a link that opens elsewhere", async ({ page, browser }) => {
  await open(page);
  await upload(page, "changes.csv", EVENTS);
  const columns = page.getByRole("region", { name: /changes\.csv/ });
  await expect(columns).toContainText("yesterday");
  await expect(columns.getByLabel("Meaning of changed at")).toHaveValue("time");
  await expect(columns.getByLabel("Meaning of hits")).toHaveValue("weight");
  await columns.getByRole("button", { name: "Drop these 2 rows, use 600" }).click();
  await replayed(page);
  await expect(page.getByText(/600\sevents of \d+\sitems/)).toBeVisible();
  await page.getByRole("textbox", { name: "Budget" }).fill("12");
  await page.getByText("Policies, re-planning").click();
  await page.getByRole("checkbox", { name: "StormCrawler" }).uncheck();
  await replayed(page);
  const table = async (from: Page) =>
    (await download(from, () => from.getByRole("button", { name: "Download the policies as CSV" }).click())).text;
  expect((await table(page)).trim().split("\n")).toHaveLength(14);
  await linked(page, "replay");
  const other = await (await browser.newContext()).newPage();
  const errors = watchErrors(other);
  await open(other, page.url());
  expect(await sentence(other)).toBe(await sentence(page));
  expect(await table(other)).toBe(await table(page));
  expect(errors).toEqual([]);
  await other.context().close();
});

test("a row of the rates opens on why, in words and charts of its own", async ({ page }) => {
  const errors = watchErrors(page);
  await open(page);
  const rates = page.getByRole("region", {
    name: "Every package and its rate",
  });
  await rates.getByRole("searchbox").fill("boto3");
  const why = rates.getByRole("button", { name: "Why this rate of boto3?" });
  await why.click();
  await expect(why).toHaveAttribute("aria-expanded", "true");
  const detail = rates.locator(".detail");
  await expect(detail).toContainText(/[\d,]+ changes in [\d.]+ (months|years) of watching make one every/);
  await expect(detail).toContainText(/With 95 % confidence it is between one every .+ and one every/);
  await expect(detail).toContainText(/its own history counts \d+ %/);
  await expect(detail).toContainText(/Its rate (stayed|did not stay)/);
  await expect(detail.getByRole("figure")).toHaveCount(3);
  await expect(detail.getByText("share at least so long")).toBeVisible();
  await expectNoAxeViolations(page);
  // An item with hardly a change has words and no charts.
  await rates.getByRole("searchbox").fill("");
  await rates.getByRole("columnheader", { name: "changes", exact: true }).getByRole("button").click();
  await rates.getByRole("columnheader", { name: "changes", exact: true }).getByRole("button").click();
  await rates
    .getByRole("button", { name: /^Why this rate of/ })
    .first()
    .click();
  await expect(detail).toContainText("Fewer than five changes");
  await expect(detail.getByRole("figure")).toHaveCount(0);
  expect(errors).toEqual([]);
});

test("a log of visits tells rates, and says why it cannot be replayed", async ({ page }) => {
  await open(page);
  await upload(page, "visits.csv", VISITS);
  await expect(answer(page)).toContainText("The visits tell the rates of 20 items");
  const { text } = await download(page, () => page.getByRole("button", { name: "Download the rates as CSV" }).click());
  expect(text.trim().split("\n")).toHaveLength(21);
  expect(text).toContain("regular-visits");
  await page.getByRole("button", { name: "Why this rate of u0?" }).click();
  await expect(page.locator(".detail")).toContainText(/\d+ of 19 visits, one every 10 days, found a change/);
  await expect(page.getByRole("region", { name: "Every policy, as it would have gone" })).toHaveCount(0);
  await expectNoAxeViolations(page);
});

test("the rates go on into a plan, and the way back finds the replay", async ({ page }) => {
  const errors = watchErrors(page);
  await open(page);
  const before = await sentence(page);
  await page.getByRole("button", { name: "Use these rates in Allocate" }).click();
  await expect(answer(page)).toContainText("With 57 visits a day");
  await expect(page.getByLabel("Change model")).toHaveValue("gamma-poisson");
  await expect(page.getByText(/1,697\sitems/).first()).toBeVisible();
  await page.getByRole("link", { name: "Replay" }).click();
  await expect.poll(() => sentence(page)).toBe(before);
  expect(errors).toEqual([]);
});

test("both labs keep their work while the other is shown, even over a crash", async ({ page }) => {
  await open(page);
  await page.getByRole("textbox", { name: "Budget" }).fill("100");
  await replayed(page);
  await page.getByRole("link", { name: "Allocate" }).click();
  await expect(answer(page)).toContainText("With 50 visits a day");
  await page.evaluate(() => dispatchEvent(new CustomEvent("afresh-rehearse-panic", { detail: "a drill" })));
  await expect(page.getByRole("alert")).toContainText("a drill");
  await page.getByRole("link", { name: "Replay" }).click();
  await expect(page.getByRole("textbox", { name: "Budget" })).toHaveValue("100");
  await page.getByRole("button", { name: "Replay again" }).click();
  await replayed(page);
  await expect(page.getByRole("figure")).toHaveCount(8);
});

test("a long replay can be stopped, and asked for again", async ({ page }) => {
  await open(page);
  const rows = ["item,time"];
  for (let k = 0; k < 100_000; k++) rows.push(`i${(k * 7919) % 2_000},${((k * 104_729) % 1_000_003) / 1_000}`);
  await upload(page, "long.csv", rows.join("\n"));
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(answer(page)).toContainText("Stopped");
  await page.getByRole("button", { name: "Replay again" }).click();
  await expect(answer(page)).toContainText("250 days of the test");
});

test("logs that nothing can be made of say what is wrong, where, and what to do", async ({ page }) => {
  await open(page);
  const alert = page.getByRole("alert");
  await upload(page, "empty.csv", "");
  await expect(alert).toContainText("The file is empty");
  await upload(page, "nothing.csv", "item,size\na,x\nb,y\n");
  await expect(alert).toContainText("A log needs a column that says which item, and one that says when");
  // Of times that cannot be read, every one is named.
  await upload(page, "mixed.csv", "item,time\na,2026-01-01\nb,5\na,2026-01-09\nb,NaN\nc,9999-12-31\nc,2026-02-01\n");
  const columns = page.getByRole("region", { name: /mixed\.csv/ });
  await expect(columns).toContainText("Not a date");
  await expect(columns.getByRole("button", { name: "Drop these 2 rows, use 4" })).toBeVisible();
  await upload(page, "once.csv", "item,time\na,2026-01-01\nb,2026-01-01\n");
  await expect(alert).toContainText("Everything in this log happened at one moment, 1 Jan 2026");
  await expect(page.getByRole("figure")).toHaveCount(0);
  // Times before zero and a single item are no trouble.
  await upload(
    page,
    "one.csv",
    `item,time\n${Array.from({ length: 40 }, (_, k) => `only,${k * 1.7 - 50}`).join("\n")}`,
  );
  await replayed(page);
  await expect(answer(page)).toContainText("Its changes are not Poisson");
  await page.getByRole("textbox", { name: "Learn until, test from" }).fill("400");
  await expect(alert).toContainText("The split, day 400, is not within what was watched, from day −50 to day 16.3");
  await expectNoAxeViolations(page);
});

test("its charts can be embedded, all or one", async ({ page }) => {
  await page.goto("./?embed#replay");
  await expect(answer(page)).toContainText("up to date", { timeout: 30_000 });
  await expect(page.getByRole("figure")).toHaveCount(8);
  await expect(page.getByRole("banner")).toHaveCount(0);
  await page.goto("./?embed=gaps#replay");
  await expect(page.getByRole("figure")).toHaveCount(1);
  await expectNoAxeViolations(page);
});

for (const width of [360, 1280])
  for (const colorScheme of ["light", "dark"] as const)
    test(`fits ${width} pixels, ${colorScheme}, and axe finds nothing`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await open(page);
      const [wide, seen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(wide).toBeLessThanOrEqual(seen!);
      await expectNoAxeViolations(page);
    });
