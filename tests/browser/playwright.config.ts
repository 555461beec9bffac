import { defineConfig } from "@playwright/test";

const PORT = Number(process.env.AFRESH_TEST_PORT ?? 48_173);

/** The built page in real Chromium, served under a sub-path to prove that any will do. */
export default defineConfig({
  testDir: ".",
  outputDir: "results",
  fullyParallel: true,
  workers: 2,
  forbidOnly: !!process.env.CI,
  // A shared machine may stall for seconds; a test that fails twice fails.
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${PORT}/any/sub-path/`,
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      // build.sh finds or installs it and says where it is.
      executablePath: process.env.CHROMIUM ?? "chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
  webServer: {
    command: `node ../../www/serve.mjs ../../dist ${PORT} /any/sub-path/`,
    port: PORT,
    reuseExistingServer: false,
  },
});
