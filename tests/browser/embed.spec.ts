import { expect, test } from "@playwright/test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answer, expectNoAxeViolations, open, solved, watchErrors } from "./lab";

const CHARTS = ["comparison", "age", "curve", "tradeoff", "item", "simulation"];

test("an embedded lab is its charts, the answer and a way to the whole", async ({ page, baseURL, context }) => {
  await open(page);
  const whole = await answer(page)
    .getByText(/visits? a day/)
    .first()
    .innerText();
  await open(page, "./?embed#allocate");
  await expect(page.getByRole("figure")).toHaveCount(CHARTS.length);
  for (const role of ["banner", "navigation", "complementary", "contentinfo", "searchbox"] as const)
    await expect(page.getByRole(role)).toHaveCount(0);
  await expect(answer(page)).toContainText(whole);

  const link = page.getByRole("link", { name: "Open in Afresh" });
  const [opened] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await solved(opened);
  expect(opened.url()).toBe(`${baseURL}#allocate`);
  await expect(opened.getByRole("banner")).toBeVisible();
});

for (const width of [400, 900])
  for (const colorScheme of ["light", "dark"] as const)
    test(`embedded charts fit ${width} pixels, ${colorScheme}, and axe finds nothing`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 500 });
      await open(page, "./?embed");
      const [wide, seen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(wide).toBeLessThanOrEqual(seen!);
      await expectNoAxeViolations(page);
    });

test("each chart can be had alone, by its name", async ({ page }) => {
  const titles = new Set<string>();
  for (const name of CHARTS) {
    await open(page, `./?embed=${name}`);
    await expect(page.getByRole("figure")).toHaveCount(1);
    titles.add(await page.getByRole("figure").getByRole("heading").innerText());
  }
  expect(titles.size).toBe(CHARTS.length);

  await open(page, "./?embed=split");
  await expect(page.getByText("Only two items make a split.")).toBeVisible();

  await open(page, "./?embed=pie");
  await expect(page.getByRole("alert")).toContainText("There is no chart “pie”");
  for (const name of [...CHARTS, "split"]) await expect(page.getByRole("alert")).toContainText(name);
  await expectNoAxeViolations(page);
});

test("it works in a frame on another site", async ({ page, baseURL }) => {
  const errors = watchErrors(page);
  const html = `<!doctype html><title>A course</title>
    <iframe title="Optimal frequencies" width="400" height="440" src="${baseURL}?embed=curve"></iframe>`;
  const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(html));
  await once(site.listen(0, "127.0.0.1"), "listening");
  // Another name of the same machine is another site to the browser.
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("figure").locator("svg path").first()).toBeAttached();
  await expect(frame.getByRole("region", { name: "The answer" })).toContainText("visits a day");
  expect(errors).toEqual([]);
  site.close();
});

test("a guest leaves no traces", async ({ page }) => {
  await open(page, "./?embed=curve#allocate");
  await page.waitForLoadState("networkidle");
  const traces = await page.evaluate(async () => ({
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    stored: localStorage.length + sessionStorage.length + (await indexedDB.databases()).length,
    address: location.search + location.hash,
  }));
  expect(traces).toEqual({ workers: 0, stored: 0, address: "?embed=curve#allocate" });
});
