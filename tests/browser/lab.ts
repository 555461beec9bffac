import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

/** A file as German spreadsheets write it: semicolons, decimal commas, mean intervals in weeks, and two bad rows. */
export const GERMAN = [
  "Seite;alle wie viele Wochen;Gewicht",
  ...Array.from(
    { length: 40 },
    (_, i) => `https://host${i % 4}.example/seite-${i};${String(0.25 + i / 8).replace(".", ",")};${1 + (i % 3)}`,
  ),
  "https://host1.example/kaputt;bald;1",
  "https://host2.example/auch-kaputt;-3,5;1",
].join("\r\n");

/** Opens the page and waits until it is solved. */
export async function open(page: Page, path = "") {
  await page.goto(path || "./");
  await solved(page);
}

/** Waits until the answer is there and nothing is under way. */
export async function solved(page: Page) {
  await expect(answer(page)).toContainText(/visits? a day/);
  await expect(page.getByRole("progressbar")).toHaveCount(0);
}

export function answer(page: Page) {
  return page.getByRole("region", { name: "The answer" });
}

/** The answer's first number in percent. */
export async function freshness(page: Page): Promise<number> {
  const found = /([\d.]+)\s*%/.exec(await answer(page).innerText());
  expect(found, "the answer has a percentage").not.toBeNull();
  return Number(found![1]);
}

export async function upload(page: Page, name: string, content: string | Buffer) {
  await page.getByLabel("Choose a file").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) });
}

/** Clicks what downloads and returns the file's text. */
export async function download(page: Page, press: () => Promise<void>) {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), text: await readFile((await file.path())!, "utf8") };
}

export async function expectNoAxeViolations(page: Page) {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`)).toEqual([]);
}

/** Fails the test on anything that the page logs as an error, or that it throws. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return errors;
}

/** The address of the page once it carries the plan that is on it and follows no further: it does so when the knobs rest. */
export async function linked(page: Page, lab = "allocate"): Promise<string> {
  await expect.poll(() => new URL(page.url()).hash).toMatch(new RegExp(`^#${lab}/p\\d+\\.`));
  for (let before = ""; before !== page.url();) {
    before = page.url();
    await page.waitForTimeout(1_200);
  }
  return page.url();
}
