import { expect, test } from "@playwright/test";
import { answer, expectNoAxeViolations, open, solved, upload, watchErrors } from "./lab";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1280, 2560]) {
    test(`fits ${width} pixels, ${colorScheme}: nothing scrolls sideways, axe finds nothing`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await open(page);
      const [wide, seen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(wide).toBeLessThanOrEqual(seen);
      await expectNoAxeViolations(page);
    });
  }
}

for (const example of ["packages", "terms", "web-1999", "example4", "two-elements", "gamma"]) {
  test(`the example ${example} is solved in every metric, model and policy`, async ({ page }) => {
    const errors = watchErrors(page);
    await open(page);
    await page.getByLabel("Example").selectOption(example);
    await solved(page);
    for (const metric of ["Age", "Content", "Harmonic", "Freshness"]) {
      await page.getByRole("radio", { name: metric }).check({ force: true });
      await solved(page);
    }
    for (const policy of ["Uniform", "Prop.", "Optimal"]) {
      await page.getByRole("radio", { name: policy }).check({ force: true });
      await solved(page);
    }
    for (const model of ["gamma-poisson", "weibull"]) {
      await page.getByLabel("Change model").selectOption(model);
      await solved(page);
    }
    await expect(page.getByRole("alert")).toHaveCount(0);
    expect(errors).toEqual([]);
  });
}

test("broken files are explained and nothing is lost", async ({ page }) => {
  await open(page);
  const before = await answer(page).innerText();
  const broken: [string, string | Buffer, RegExp][] = [
    ["empty.csv", "", /empty/i],
    ["header.csv", "id,rate\n", /row|empty|data/i],
    ["picture.csv", Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]), /PNG|picture|image/i],
    ["sheet.xlsx", Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0]), /zip|Excel|spreadsheet|CSV/i],
    ["cut.json", '[{"id": "a", "rate": 1}, {"id": ', /JSON|end|row/i],
    ["quote.csv", 'id,rate\n"never closed,1\nb,2\n', /quote/i],
  ];
  for (const [name, content, says] of broken) {
    await upload(page, name, content);
    await expect(page.getByRole("alert")).toContainText(says);
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect(await answer(page).innerText(), name).toBe(before);
  }
});

test("nonsense in a field keeps the plan and says what is expected", async ({ page }) => {
  await open(page);
  const before = await answer(page).innerText();
  const field = page.getByRole("textbox", { name: "Budget" });
  for (const nonsense of ["many", "-5", "NaN", "1e400", ""]) {
    await field.fill(nonsense);
    await expect(field).toHaveAttribute("aria-invalid", "true");
    expect(await answer(page).innerText()).toBe(before);
  }
  await field.fill("0");
  await expect(answer(page)).toContainText(/\b0 visits a day|no visits/i);
  // So many visits make no timetable that anyone could read; the plan itself stands.
  await field.fill("1e12");
  await expect(page.getByRole("region", { name: "Timetable" })).toContainText(/shorten|visits/i);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(answer(page)).toContainText(/99\.99\d*\s%/);
});

test("after a panic the worker is replaced and the person's state is kept", async ({ page }) => {
  await open(page);
  await page.getByLabel("Example").selectOption("terms");
  await expect(answer(page)).toContainText("documents");
  await page.getByRole("textbox", { name: "Budget" }).fill("77");
  await solved(page);
  const before = await answer(page).innerText();
  await page.evaluate(() =>
    window.dispatchEvent(new CustomEvent("afresh-rehearse-panic", { detail: "the roof is on fire" })),
  );
  await expect(page.getByRole("alert")).toContainText("the roof is on fire");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await solved(page);
  expect(await answer(page).innerText()).toBe(before);
  await page.getByRole("textbox", { name: "Budget" }).fill("78");
  await solved(page);
  await expect(answer(page)).toContainText("78 visits a day");
});

test("a million rows stay responsive, show progress and can be cancelled", async ({ page }) => {
  test.setTimeout(180_000);
  await open(page);
  const lines = ["id,rate"];
  for (let i = 0; i < 1_000_000; i++) lines.push(`p${i},${((i % 997) + 1) / 100}`);
  const file = Buffer.from(lines.join("\n"));
  const before = await answer(page).innerText();

  // A fast machine reads the file before a hand reaches the button: press it the moment it appears.
  await page.evaluate(() => {
    const watch = new MutationObserver(() => {
      const cancel = [...document.querySelectorAll("button")].find((button) => button.textContent?.trim() === "Cancel");
      if (cancel === undefined) return;
      watch.disconnect();
      cancel.click();
      document.body.dataset.cancelled = "yes";
    });
    watch.observe(document.body, { childList: true, subtree: true });
  });
  await upload(page, "million.csv", file);
  await expect(page.locator("body")).toHaveAttribute("data-cancelled", "yes");
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  expect(await answer(page).innerText(), "a cancelled file changes nothing").toBe(before);

  // A frozen page paints nothing: count the frames that show the progress bar.
  await page.evaluate(() => {
    const seen = { frames: 0 };
    Object.assign(window, { seen });
    const frame = () => {
      if (document.querySelector("[role=progressbar], progress") !== null) seen.frames++;
      requestAnimationFrame(frame);
    };
    frame();
  });
  await upload(page, "million.csv", file);
  await expect(page.getByText("1,000,000 items").first()).toBeVisible({ timeout: 90_000 });
  await expect(answer(page)).toContainText("visits a day");
  const frames = await page.evaluate(() => (window as unknown as { seen: { frames: number } }).seen.frames);
  expect(frames, "the page goes on painting while it reads").toBeGreaterThan(2);
});

test("a dropped file is read", async ({ page }) => {
  await open(page);
  const drop = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['[{"name": "home", "rate": 2}, {"name": "about", "rate": 0.5}]'], "pages.json"));
    return transfer;
  });
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: drop });
  await expect(page.getByText("2 items").first()).toBeVisible();
  await solved(page);
});

test("the package in dist/module loads in a page by itself", async ({ page }) => {
  await page.goto("./module/package.json");
  const freshness = await page.evaluate(async () => {
    const afresh = await import(new URL("afresh.js", location.href).href);
    await afresh.default();
    return afresh.allocate({ items: { rate: [1, 2, 3, 4, 5] }, budget: 5 }).freshness;
  });
  expect(freshness).toBeCloseTo(0.373889, 6);
});
