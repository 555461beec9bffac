import { expect, test, type Page } from "@playwright/test";
import { readFile } from "node:fs/promises";
import { answer, download, expectNoAxeViolations, open } from "./lab";

const timetable = (page: Page) => page.getByRole("region", { name: "Timetable" });

test("the timetable goes away as a calendar, a to-do list and a crontab", async ({ page }) => {
  await open(page);
  const press = (name: string) => () => timetable(page).getByRole("button", { name }).click();
  const csv = await download(page, press("Download the timetable as CSV"));
  const visits = csv.text.trim().split("\r\n").length - 1;
  expect(csv.name).toBe("afresh-timetable.csv");

  const calendar = await download(page, press("Download the timetable as iCalendar"));
  expect(calendar.name).toBe("afresh-timetable.ics");
  expect(calendar.text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n/);
  const listed = calendar.text.replaceAll("\r\n ", "").match(/\d{4}-\d\d-\d\dT[\d:]+Z /g);
  expect(listed).toHaveLength(visits);

  const list = await download(page, press("Download the timetable as a to-do list"));
  expect(list.name).toBe("afresh-to-do.txt");
  expect(list.text.match(/^\[ \] \d\d:\d\d \S/gm)).toHaveLength(visits);

  const cron = await download(page, press("Download the plan as a crontab"));
  expect(cron.name).toBe("afresh.crontab");
  expect(cron.text).toMatch(/^# numpy: every .* → .*\n[\d*].* "\$\{AFRESH_VISIT:\?\}" 'numpy'$/m);
});

test("on a phone the buttons of the timetable wrap and stay on the paper", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await open(page);
  for (const button of await timetable(page)
    .getByRole("button", { name: /^Download/ })
    .all()) {
    const box = (await button.boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(360);
    expect(box.height).toBeGreaterThanOrEqual(24);
  }
});

test("a to-do list has the days of the person's clock", async ({ browser, baseURL }) => {
  const page = await browser.newPage({ timezoneId: "Asia/Kolkata", baseURL: baseURL! });
  await open(page);
  const list = await download(page, () =>
    timetable(page).getByRole("button", { name: "Download the timetable as a to-do list" }).click(),
  );
  expect(list.text).toContain("Times are UTC+05:30");
  const first = /\[ \] (\d\d:\d\d) (\S+)/.exec(list.text)!;
  await expect(timetable(page).getByRole("row").nth(1)).toContainText(first[1]!);
  await expect(timetable(page).getByRole("row").nth(1)).toContainText(first[2]!);
  await page.close();
});

test("the answer is copied as Markdown, and the page says so", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const button = page.getByRole("button", { name: "Copy the answer as Markdown" });
  await button.click();
  await expect(answer(page).getByRole("status")).toHaveText("copied");
  await expectNoAxeViolations(page);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const flat = (text: string) => text.replace(/\s+/g, " ").trim();
  expect(flat(copied.split("\n\n")[0]!)).toBe(flat(await answer(page).getByRole("heading").innerText()));
  expect(copied).toMatch(/Proven optimal, gap .* · one more visit a day buys/);
  expect(copied).not.toContain("why?");
  expect(copied).toMatch(/^\| policy \| up to date \| average age \|\n\| --- \| ---: \| ---: \|\n\| Optimal \|/m);
  const items = copied.split("\n\n")[3]!.split("\n");
  expect(items).toHaveLength(22);
  const first = page
    .getByRole("region", { name: /what it gets/ })
    .locator("tbody tr")
    .first();
  await expect(first).toContainText(/^\| (\S+) \|/.exec(items[2]!)![1]!);
});

test("without the clipboard of secure pages copying still works", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.addInitScript(() => {
    Object.defineProperty(Clipboard.prototype, "writeText", { value: () => Promise.reject(new Error("insecure")) });
  });
  await open(page);
  const button = page.locator("figure").first().getByRole("button", { name: "Copy as Markdown" });
  await button.click();
  await expect(page.locator("figure").first().getByRole("status")).toHaveText("copied");
  await expect(button).toBeFocused();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\| Policy \| .*\n\| --- \| ---: \|\n/);
});

const palettes = {
  light: { paper: "#fcfcfa", optimal: "#0a7680", uniform: "#a86200", proportional: "#b3224c" },
  dark: { paper: "#10151a", optimal: "#3cc3cc", uniform: "#eda83b", proportional: "#ff7699" },
};

for (const colorScheme of ["light", "dark"] as const) {
  test(`charts taken away look like the page, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await open(page);
    const palette = palettes[colorScheme];
    const figures = page.locator("figure");
    await expect(figures).toHaveCount(7);
    for (const figure of await figures.all()) {
      const svg = await download(page, () => figure.getByRole("button", { name: "svg", exact: true }).click());
      expect(svg.text).not.toMatch(/var\(|currentcolor|href|url\((?!#|&quot;#)|@import/i);
      expect(svg.text).toContain(`fill="${palette.paper}"`);
      expect(svg.text).toContain(palette.optimal);
      const other = palettes[colorScheme === "light" ? "dark" : "light"];
      for (const colour of Object.values(other)) expect(svg.text).not.toContain(colour);
    }
    const compared = figures.first();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      compared.getByRole("button", { name: "png", exact: true }).click(),
    ]);
    const base64 = (await readFile((await file.path())!)).toString("base64");
    const found = await page.evaluate(
      async ({ base64, palette }) => {
        const blob = new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" });
        const picture = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const pen = canvas.getContext("2d")!;
        pen.drawImage(picture, 0, 0);
        const { data } = pen.getImageData(0, 0, picture.width, picture.height);
        const counts: Record<string, number> = {};
        for (let i = 0; i < data.length; i += 4) {
          const hex = `#${[0, 1, 2].map((k) => data[i + k]!.toString(16).padStart(2, "0")).join("")}`;
          for (const [name, colour] of Object.entries(palette))
            if (hex === colour) counts[name] = (counts[name] ?? 0) + 1;
        }
        return { width: picture.width, pixels: data.length / 4, counts };
      },
      { base64, palette },
    );
    const drawn = (await compared.locator("svg").boundingBox())!;
    expect(found.width, "twice the pixels of the drawing and its margins").toBe(2 * (Math.round(drawn.width) + 32));
    expect(found.counts.paper).toBeGreaterThan(found.pixels / 2);
    for (const policy of ["optimal", "uniform", "proportional"]) expect(found.counts[policy]).toBeGreaterThan(100);
  });
}
