import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The path of an installed Chromium; undefined if there is none. */
export const CHROMIUM = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((dir) => NAMES.map((name) => join(dir, name)))
  .find(isProgram);

/** Opens a page in headless Chromium. Returns a function that closes it. */
export async function openPage(program: string, url: string): Promise<() => Promise<void>> {
  const profile = await mkdtemp(join(tmpdir(), "txfeed-chromium-"));
  const flags = [
    ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    ...["--no-first-run", "--disable-background-networking", "--disable-component-update"],
    // Without a debugging port, Chromium would exit after loading the page.
    ...[`--user-data-dir=${profile}`, "--remote-debugging-port=0"],
  ];
  const browser = spawn(program, [...flags, url], { stdio: "ignore" });
  const ended = once(browser, "exit");
  return async () => {
    browser.kill();
    await ended;
    // Helper processes may still write to the profile after it exits.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
