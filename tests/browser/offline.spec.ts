import { expect, test, type Page, type TestInfo } from "@playwright/test";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GERMAN, answer, download, expectNoAxeViolations, open, solved, upload, watchErrors } from "./lab";

test("a whole session asks nothing of any other host", async ({ page, context, baseURL }) => {
  const errors = watchErrors(page);
  const foreign: string[] = [];
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && origin !== new URL(baseURL!).origin) foreign.push(request.url());
  });
  await open(page);
  for (const example of ["terms", "web-1999", "example4", "two-elements", "gamma", "packages"]) {
    await page.getByLabel("Example").selectOption(example);
    await solved(page);
  }
  const figure = page.getByRole("figure", { name: /budget/i }).first();
  for (const kind of ["svg", "png", "csv"])
    await download(page, () => figure.getByRole("button", { name: kind }).click());
  for (const kind of ["CSV", "JSON"])
    await download(page, () => page.getByRole("button", { name: `Download the timetable as ${kind}` }).click());
  await upload(page, "seiten.csv", GERMAN);
  await page.getByRole("button", { name: "Drop these 2 rows, use 40" }).click();
  await expect(answer(page)).toContainText("40 items");
  expect(foreign).toEqual([]);
  expect(errors).toEqual([]);
});

/** Tries to reach another host, in the page or its worker; says which rule of the policy stopped it. */
async function reachOut(): Promise<string> {
  const stopped = new Promise<string>((resolve) =>
    addEventListener("securitypolicyviolation", (event) =>
      resolve((event as SecurityPolicyViolationEvent).effectiveDirective),
    ),
  );
  const reached = fetch("https://afresh.invalid/").then(
    () => "reached",
    () => stopped,
  );
  return reached;
}

test("the policy stops the page and its engine from reaching another host", async ({ page }) => {
  await open(page);
  expect(await page.evaluate(reachOut)).toBe("connect-src");
  const [engine] = page.workers();
  expect(await engine!.evaluate(reachOut)).toBe("connect-src");
});

/** A copy of the built page on a server of its own, to be changed and stopped. */
class Host {
  address = "";
  #server: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    private readonly script: string,
  ) {}

  static async start({ config: { rootDir } }: TestInfo): Promise<Host> {
    const host = new Host(await mkdtemp(join(tmpdir(), "afresh-host-")), join(rootDir, "../../www/serve.mjs"));
    await cp(join(rootDir, "../../dist"), host.folder, { recursive: true });
    host.#server = spawn("node", [host.script, host.folder, "0", "/deep/down/"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(host.#server.stdout!, "data");
    host.address = /http:\S+/.exec(String(line))![0];
    return host;
  }

  /** Publishes a build that differs in its title. */
  async publish(title: string) {
    await this.#change("index.html", (html) => html.replace(/<title>.*<\/title>/, `<title>${title}</title>`));
    await this.#change("sw.js", (code) => code.replace(/VERSION="[^"]*"/, `VERSION="${title}"`));
  }

  async #change(name: string, edit: (text: string) => string) {
    const before = await readFile(join(this.folder, name), "utf8");
    expect(edit(before)).not.toBe(before);
    await writeFile(join(this.folder, name), edit(before));
  }

  async stop() {
    if (this.#server?.exitCode !== null || this.#server.killed) return;
    this.#server.kill();
    await once(this.#server, "exit");
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Opens the page and waits until its service worker has everything and is in charge. */
async function visit(page: Page, address: string) {
  await open(page, address);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller !== null) return;
    await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  });
}

test("the second visit needs no network", async ({ page }, info) => {
  await using host = await Host.start(info);
  await visit(page, host.address);
  const before = await answer(page).innerText();
  await host.stop();
  const errors = watchErrors(page);
  await page.reload();
  await solved(page);
  expect(await answer(page).innerText()).toBe(before);
  await page.getByLabel("Example").selectOption("terms");
  await expect(answer(page)).toContainText("documents");
  await page.goto(`${host.address}?embed=curve`);
  await expect(page.getByRole("figure")).toHaveCount(1);
  expect(errors).toEqual([]);
});

test("only the page's own files are kept; the rest passes by", async ({ page }, info) => {
  await using host = await Host.start(info);
  await visit(page, host.address);
  const kept = await page.evaluate(async () => {
    const cache = await caches.open((await caches.keys())[0]!);
    return (await cache.keys()).map(({ url }) => url);
  });
  expect(kept).toContain(host.address);
  expect(kept.filter((url) => /\/(module|afresh\.html|sw\.js|index\.html)/.test(url))).toEqual([]);
  await writeFile(join(host.folder, "notes.html"), "<title>Notes</title>");
  await page.goto(`${host.address}notes.html`);
  await expect(page).toHaveTitle("Notes");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`a new version offers itself and comes with one reload, ${colorScheme}`, async ({ page }, info) => {
    await using host = await Host.start(info);
    await page.emulateMedia({ colorScheme });
    await visit(page, host.address);
    const bar = page.getByText("A new version of Afresh is ready.");
    await expect(bar, "the first version is not news").toHaveCount(0);

    await host.publish("Second");
    await page.reload();
    await expect(bar).toBeVisible();
    await expect(page).toHaveTitle("Afresh");
    await solved(page);
    await expectNoAxeViolations(page);
    await page.getByRole("button", { name: "Later" }).click();
    await expect(bar).toHaveCount(0);

    // It goes on waiting, and offers itself at the next visit.
    await page.reload();
    await expect(bar).toBeVisible();
    let loads = 0;
    page.on("load", () => loads++);
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page).toHaveTitle("Second");
    await solved(page);
    await expect(bar).toHaveCount(0);
    expect(loads).toBe(1);
    expect(await page.evaluate(() => caches.keys()), "the old version is cleared away").toHaveLength(1);
  });
}
