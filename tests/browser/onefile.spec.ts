import { expect, test, type TestInfo } from "@playwright/test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GERMAN, answer, download, open, solved, upload, watchErrors } from "./lab";

const onDisk = ({ config: { rootDir } }: TestInfo) => join(rootDir, "../../dist/afresh.html");

test("one file opens from the disk, solved as the hosted page is, and asks for nothing", async ({
  page,
  context,
}, info) => {
  await open(page);
  const hosted = await answer(page).innerText();

  const single = await context.newPage();
  const errors = watchErrors(single);
  const file = pathToFileURL(onDisk(info)).href;
  const asked: string[] = [];
  single.on("request", (request) => {
    const url = request.url();
    if (url !== file && !url.startsWith("data:") && !url.startsWith("blob:")) asked.push(url);
  });
  await single.goto(file);
  await solved(single);
  expect(await answer(single).innerText()).toBe(hosted);

  let last = hosted;
  for (const example of ["terms", "web-1999", "example4", "two-elements", "gamma"]) {
    await page.getByLabel("Example").selectOption(example);
    await single.getByLabel("Example").selectOption(example);
    await expect(answer(page)).not.toHaveText(last, { useInnerText: true });
    last = await answer(page).innerText();
    await expect(answer(single)).toHaveText(last, { useInnerText: true });
  }
  await upload(single, "seiten.csv", GERMAN);
  await single.getByRole("button", { name: "Drop these 2 rows, use 40" }).click();
  await expect(answer(single)).toContainText("40 items");
  const { text } = await download(single, () =>
    single.getByRole("button", { name: "Download the timetable as CSV" }).click(),
  );
  expect(text).toMatch(/^time,day,id\r\n/);
  expect(asked).toEqual([]);
  expect(errors).toEqual([]);
});

test("one file survives a panic, and its policy lets nothing out", async ({ page }, info) => {
  await open(page, pathToFileURL(onDisk(info)).href);
  const before = await answer(page).innerText();
  await page.evaluate(() => window.dispatchEvent(new CustomEvent("afresh-rehearse-panic", { detail: "a drill" })));
  await expect(page.getByRole("alert")).toContainText("a drill");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await solved(page);
  expect(await answer(page).innerText()).toBe(before);
  const refused = await page.evaluate(() =>
    fetch("https://afresh.invalid/").then(
      () => false,
      () => true,
    ),
  );
  expect(refused).toBe(true);
  expect(await page.evaluate(() => document.querySelectorAll("[src], link[href]:not([href^='data:'])").length)).toBe(0);
});
