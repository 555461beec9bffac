import { expect, test, type Browser, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GERMAN, answer, download, expectNoAxeViolations, linked, open, solved, upload, watchErrors } from "./lab";

const PAGES = [
  "page,rate,weight",
  ...Array.from({ length: 100 }, (_, i) => `page-${i},${((i * 37) % 101) / 64},${1 + (i % 7)}`),
].join("\n");

/** Another person's browser: nothing of this one's storage. */
async function elsewhere(browser: Browser, address: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = watchErrors(page);
  await page.goto(address);
  return { page, errors };
}

/** Everything that the answer says, and the numbers behind it to the last digit, as the plan's own file has them. */
async function everything(page: Page) {
  const csv = await download(page, () => page.getByRole("button", { name: "Download the plan as CSV" }).click());
  return { said: await answer(page).innerText(), csv: csv.text };
}

test("a link opens in another browser with the same answer to the last digit", async ({ page, browser }) => {
  await open(page);
  await upload(page, "pages.csv", PAGES);
  await expect(page.getByText("100 items").first()).toBeVisible();
  await page.getByRole("textbox", { name: "Budget" }).fill("23.75");
  await page.getByRole("radio", { name: "Age" }).check({ force: true });
  await page.getByLabel("Change model").selectOption("gamma-poisson");
  await solved(page);
  const address = await linked(page);
  expect(address.length, "a hundred items travel in a short link").toBeLessThan(1_200);
  const { page: other, errors } = await elsewhere(browser, address);
  await solved(other);
  expect(await everything(other)).toEqual(await everything(page));
  await expect(other.getByRole("textbox", { name: "Budget" })).toHaveValue("23.75");
  await expect(other.getByRole("combobox", { name: "Example" })).toContainText("pages.csv");
  expect(errors).toEqual([]);
  await other.context().close();
});

test("dropped rows, units and decimal commas travel with the link", async ({ page, browser }) => {
  await open(page);
  await upload(page, "seiten.csv", GERMAN);
  const columns = page.getByRole("region", { name: /seiten\.csv/ });
  await columns.getByLabel("Unit of alle wie viele Wochen").selectOption("weeks");
  await columns.getByRole("button", { name: "Drop these 2 rows, use 40" }).click();
  await solved(page);
  const { page: other } = await elsewhere(browser, await linked(page));
  await solved(other);
  expect(await everything(other)).toEqual(await everything(page));
  await other
    .getByRole("button", { name: "change" })
    .or(other.getByRole("button", { name: /columns/ }))
    .first()
    .click();
  await expect(other.getByLabel("Unit of alle wie viele Wochen")).toHaveValue("weeks");
  await other.context().close();
});

test("a chat's percent-encoding changes nothing", async ({ page, browser, baseURL }) => {
  await open(page);
  await page.getByRole("textbox", { name: "Budget" }).fill("61");
  await solved(page);
  const { hash } = new URL(await linked(page));
  for (const address of [
    `${baseURL}#${encodeURIComponent(hash.slice(1))}`,
    `${baseURL}#${encodeURIComponent(encodeURIComponent(hash.slice(1)))}`,
    `${baseURL}#%23${hash.slice(1)}`,
    `${baseURL}?from=chat%23${hash.slice(1)}`,
  ]) {
    const { page: other } = await elsewhere(browser, address);
    await expect(answer(other)).toContainText("61 visits a day");
    await other.context().close();
  }
});

test("a damaged link explains itself and costs nothing", async ({ page, browser, baseURL }) => {
  await open(page);
  await page.getByRole("textbox", { name: "Budget" }).fill("61");
  await solved(page);
  const good = await linked(page);
  const { hash } = new URL(good);
  const before = await answer(page).innerText();
  const edited = hash.slice(0, 40) + (hash[40] === "A" ? "B" : "A") + hash.slice(41);
  const damaged: [string, RegExp][] = [
    [edited, /altered/],
    [hash.slice(0, -9), /cut off: \d+ of \d+ characters/],
    [hash.replace("p1.", "p3."), /newer Afresh.*format 3/],
    ["#allocate/p1.", /cut off|no plan/],
    ["#allocate/nonsense", /no plan/],
  ];
  for (const [bad, says] of damaged) {
    await page.evaluate((to) => (location.hash = to), bad);
    await expect(page.getByRole("alert")).toContainText(says);
    expect(await answer(page).innerText(), "what was open stays").toBe(before);
  }
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: "Start from the example" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(answer(page)).toContainText("50 visits a day");

  // The same for somebody who opens the link afresh: the page is not empty, and says what is wrong.
  const { page: other } = await elsewhere(browser, `${baseURL}${edited}`);
  await expect(other.getByRole("alert")).toContainText(/altered/);
  await expect(other.getByRole("button", { name: "Start from the example" })).toBeVisible();
  await solved(other);
  await other.context().close();
});

test("back and forward go through the plans", async ({ page }) => {
  await open(page);
  await page.getByLabel("Example").selectOption("terms");
  await expect(answer(page)).toContainText("documents");
  await linked(page);
  await page.getByRole("textbox", { name: "Budget" }).fill("99");
  await expect(answer(page)).toContainText("99 visits a day");
  await linked(page);
  await page.getByLabel("Example").selectOption("example4");
  await expect(answer(page)).toContainText("elements");
  await linked(page);
  await page.goBack();
  await expect(answer(page)).toContainText("99 visits a day");
  await expect(answer(page)).toContainText("documents");
  await page.goBack();
  await expect(answer(page)).toContainText("packages");
  await page.goForward();
  await expect(answer(page)).toContainText("99 visits a day");
  await page.goForward();
  await expect(answer(page)).toContainText("elements");
});

test("the link is copied with one button that says how long it is", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  await page.getByRole("textbox", { name: "Budget" }).fill("42");
  await solved(page);
  const address = await linked(page);
  const button = page.getByRole("button", { name: /^Copy link/ });
  await expect(button).toHaveText(`Copy link · ${address.length} characters`);
  await button.click();
  await expect(page.getByText(`Copied: ${address.length} characters.`)).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  await page.getByRole("button", { name: "Copy embed code" }).click();
  await expect(page.getByText("paste it into the HTML")).toBeVisible();
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  const source = /src="([^"]+)"/.exec(snippet)?.[1];
  expect(source).toBe(address.replace("#", "?embed#"));
  const course = new URL("course.html", address).href;
  await page.route(course, (route) => route.fulfill({ contentType: "text/html", body: snippet }));
  await page.goto(course);
  await expect(page.frameLocator("iframe").getByRole("figure").first()).toBeVisible();
  await expect(page.frameLocator("iframe").getByText("With 42 visits a day")).toBeVisible();
});

test("a plan is saved, read by a person, and opened again", async ({ page, browser }) => {
  await open(page);
  await upload(page, "pages.csv", PAGES);
  await page.getByRole("textbox", { name: "Budget" }).fill("23.75");
  await solved(page);
  const saved = await download(page, () => page.getByRole("button", { name: "Save plan" }).click());
  expect(saved.name).toBe("pages-csv.afresh.json");
  const plan = JSON.parse(saved.text);
  expect(plan).toMatchObject({ afresh: 1, lab: "allocate", knobs: { budget: 23.75 } });
  expect(plan.data.table.columns.map(({ role }: { role: string }) => role)).toEqual(["id", "rate", "weight"]);
  expect(plan.data.table.columns[1].cells).toHaveLength(100);
  expect(saved.text.split("\n").length, "laid out for a reader").toBeLessThan(90);

  const { page: other } = await elsewhere(browser, page.url().replace(/#.*/, ""));
  await solved(other);
  const file = (text: string) => ({ name: saved.name, mimeType: "application/json", buffer: Buffer.from(text) });
  await other.getByLabel("Choose a plan").setInputFiles(file(saved.text));
  await expect(answer(other)).toContainText("23.8 visits a day");
  await solved(other);
  expect(await everything(other)).toEqual(await everything(page));

  const before = await answer(other).innerText();
  const wrong: [string, RegExp][] = [
    [saved.text.slice(0, 300), /not valid JSON/],
    ["[1, 2]", /no plan of Afresh/],
    [saved.text.replace('"afresh": 1', '"afresh": 7'), /newer Afresh.*format 7/],
    [saved.text.replace('"budget"', '"bugdet"'), /bugdet/],
    [saved.text.replace('"role": "rate"', '"role": "speed"'), /speed/],
    [saved.text.replace("23.75", '"much"'), /budget.*not a number/],
    [saved.text.replace('"rows": 100', '"rows": 99'), /100 cells for 99 rows/],
  ];
  for (const [text, says] of wrong) {
    await other.getByLabel("Choose a plan").setInputFiles(file(text));
    await expect(other.getByRole("alert")).toContainText(says);
    expect(await answer(other).innerText()).toBe(before);
  }
  // Dropped where data go, a plan is still known for what it is.
  await other.getByLabel("Choose a file").setInputFiles(file(saved.text));
  await expect(other.getByRole("alert")).toHaveCount(0);
  await other.context().close();
});

test("a large set travels by its fingerprint, and another file is told apart", async ({ page, browser }) => {
  // Forty thousand rows are read four times.
  test.slow();
  const lines = ["id,rate"];
  for (let i = 0; i < 40_000; i++) lines.push(`p${(i * 7919) % 40_000},${((i * 7919) % 9973) / 1000}`);
  const large = lines.join("\n");
  await open(page);
  await upload(page, "large.csv", large);
  await expect(page.getByText("40,000 items").first()).toBeVisible();
  await page.getByRole("textbox", { name: "Budget" }).fill("1234");
  await solved(page);
  const address = await linked(page);
  expect(address.length).toBeLessThan(400);
  await expect(page.getByText("too many for a link")).toBeVisible();

  const { page: other } = await elsewhere(browser, address);
  const asks = other.getByRole("region", { name: "This plan needs the file large.csv" });
  await expect(asks).toBeVisible();
  await solved(other);
  await expectNoAxeViolations(other);
  const give = (name: string, text: string) =>
    other.getByLabel("Choose the plan’s file").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await give("larger.csv", `${large}\nq,1`);
  await expect(asks.getByRole("alert")).toContainText("larger.csv is a different file");
  await give("copy of large.csv", large);
  await expect(answer(other)).toContainText("1,234 visits a day");
  await solved(other);
  expect(await everything(other)).toEqual(await everything(page));

  // On the machine that has the file, a reload asks for nothing.
  await page.reload();
  await expect(answer(page)).toContainText("1,234 visits a day");
  await expect(page.getByText("40,000 items").first()).toBeVisible();
  await other.context().close();
});

test("work comes back after a crash, and is forgotten on request", async ({ page, context, baseURL }) => {
  await open(page);
  await upload(page, "pages.csv", PAGES);
  await page.getByRole("textbox", { name: "Budget" }).fill("17");
  await solved(page);
  await linked(page);
  const before = await everything(page);
  await page.close();
  const again = await context.newPage();
  await again.goto(baseURL!);
  await expect(again.getByText("was brought back")).toBeVisible();
  await solved(again);
  expect(await everything(again)).toEqual(before);
  await expectNoAxeViolations(again);
  await again.getByRole("button", { name: "Forget my work" }).click();
  await expect(again.getByText("Forgotten")).toBeVisible();
  await again.goto("about:blank");
  await again.goto(baseURL!);
  await expect(answer(again)).toContainText("packages");
  await expect(again.getByText("was brought back")).toHaveCount(0);
});

test("a change is kept at once when the tab is left, before the knobs rest", async ({ page }) => {
  await page.clock.install();
  await open(page);
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await page.getByRole("textbox", { name: "Budget" }).fill("17");
  await solved(page);
  expect(new URL(page.url()).hash).not.toContain("p1.");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  await expect.poll(() => new URL(page.url()).hash).toContain("p1.");
});

// Links that were made by this version, or one before: they open to this for ever.
const literal = JSON.parse(readFileSync(join(__dirname, "../links.json"), "utf8")) as {
  about: string;
  link: string;
  plan: { lab: string };
  answer: string | null;
  /** The columns that the lab's tables are sorted by, and which way. */
  sorted?: string[];
}[];
for (const { about, link, plan, answer: says, sorted } of literal) {
  if (says === null) continue;
  test(`an old link still opens: ${about}`, async ({ page, baseURL }) => {
    await page.goto(`${baseURL}#${plan.lab}/${link}`);
    await expect(answer(page)).toContainText(says);
    await expect(page.getByRole("alert")).toHaveCount(0);
    if (sorted) await expect(page.locator("th[aria-sort]")).toHaveText(sorted);
  });
}
