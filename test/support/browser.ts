import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The path of an installed Chromium; undefined if there is none. */
const CHROMIUM = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  .find(isProgram);

/** A test in a real browser, skipped if none is installed, except in CI. */
export const browserTest: ReturnType<typeof test.skipIf> = test.skipIf(
  CHROMIUM === undefined && !process.env["CI"],
);

/** A page, and its errors and requests. */
export interface WatchedPage {
  readonly page: Page;
  /** Console errors and uncaught exceptions. */
  readonly pageErrors: string[];
  /** The origins of its requests. */
  readonly origins: Set<string>;
}

/** Starts Chromium for a file's tests and returns a function that opens a page. */
export function useBrowser() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (CHROMIUM === undefined) {
      console.warn("Chromium is not installed: the browser tests are skipped");
      return;
    }
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        ...["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        // Texts look the same on each machine.
        ...["--disable-lcd-text", "--font-render-hinting=none"],
      ],
    });
  });
  afterAll(async () => browser?.close());
  return async (options: Parameters<Browser["newContext"]>[0] = {}): Promise<WatchedPage> => {
    if (!browser) throw new Error("CI requires Chromium for the browser tests");
    const context = await browser.newContext({ locale: "en-GB", ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const pageErrors: string[] = [];
    const origins = new Set<string>();
    page.on("pageerror", (error) => pageErrors.push(String(error)));
    page.on("console", (message) => {
      // Chromium also logs each 4xx and 5xx response.
      const isResponse = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isResponse) pageErrors.push(message.text());
    });
    page.on("request", (request) => origins.add(new URL(request.url()).origin));
    return { page, pageErrors, origins };
  };
}

/** Fails if the page logged an error or sent a request to another origin. */
export function expectNoErrors({ page, pageErrors, origins }: WatchedPage): void {
  expect(pageErrors).toEqual([]);
  expect([...origins]).toEqual([new URL(page.url()).origin]);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
