import { onTestFinished } from "vitest";
import { createSandbox, type SandboxOptions } from "../../../src/sandbox/index.ts";
import type { WatchedPage } from "../../support/browser.ts";

type NewPage = (options?: {
  viewport?: { width: number; height: number };
  colorScheme?: "light" | "dark";
}) => Promise<WatchedPage>;

/** A sandbox with a frozen clock, and its page in a browser. */
export async function openSandbox(
  newPage: NewPage,
  options: SandboxOptions = {},
  view: Parameters<NewPage>[0] = {},
) {
  const sandbox = await createSandbox({
    world: "empty",
    validate: true,
    clock: "frozen",
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const watched = await newPage(view);
  const { page } = watched;
  await page.goto(`${sandbox.controlUrl}/`);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.locator("#verbs button").first().waitFor({ state: "attached" });
  return {
    sandbox,
    watched,
    page,
    /** A section of the page by its title. */
    section: (name: string) => page.getByRole("region", { name, exact: true }),
    /** The live region's text. */
    outcome: page.locator("#outcome"),
    /** Presses a verb's button. */
    press: (name: string) => page.getByRole("button", { name, exact: true }).click(),
  };
}
