import { onTestFinished } from "vitest";
import { createSandbox, type SandboxOptions } from "../../../src/sandbox/index.ts";
import type { WatchedPage } from "../../support/browser.ts";

export interface View {
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: "light" | "dark";
  readonly bypassCSP?: boolean;
  readonly permissions?: string[];
}

type NewPage = (options?: View) => Promise<WatchedPage>;

/** A sandbox with a frozen clock, and its page in a browser. */
export async function openSandbox(newPage: NewPage, options: SandboxOptions = {}, view: View = {}) {
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
  await page.locator("#creators .verb").first().waitFor({ state: "attached" });
  const resources = page.locator("#resources");
  const isNarrow = (view.viewport?.width ?? 1280) < 1024;
  return {
    sandbox,
    watched,
    page,
    resources,
    timeline: page.locator("#timeline"),
    story: page.locator("#story"),
    controls: page.locator("#controls"),
    /** The detail of the open resource. */
    detail: resources.locator(".detail"),
    /** Shows a panel, by its button. */
    panel: async (name: "Stories" | "Resources" | "Events" | "Controls") => {
      if (!isNarrow && (name === "Resources" || name === "Events")) return;
      const panels = page.getByRole("navigation", { name: "Panels" });
      await panels.getByRole("button", { name }).click();
    },
    /** Shows the resources of a kind. */
    tab: (name: string) => {
      const kinds = page.getByRole("group", { name: "Kinds of resources" });
      return kinds.getByRole("button", { name: new RegExp(`^${name} `) }).click();
    },
    /** The row of a resource, by a text in it. */
    row: (text: string) => resources.locator(".rows .head").filter({ hasText: text }).first(),
    /** Opens a group of the controls. */
    group: (name: string) => page.locator("#controls summary").getByText(name).click(),
    /** The live region's text. */
    outcome: page.locator("#outcome"),
    /** Presses a verb's button. */
    press: (name: string) => page.getByRole("button", { name, exact: true }).click(),
  };
}
