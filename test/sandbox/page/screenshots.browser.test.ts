import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { browserTest, useBrowser } from "../../support/browser.ts";
import { expectScreenshot } from "../../support/screenshots.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

const FOLDER = join(import.meta.dirname, "screenshots");

/** The port of the sandbox differs in each run. */
const STYLE = ".curl { height: 12rem; max-height: none; visibility: hidden; }";

const VIEWS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
].flatMap((viewport) =>
  (["light", "dark"] as const).map((colorScheme) => ({ ...viewport, colorScheme })),
);

/** The page with a fixed seed and clock. */
async function open({ width, height, colorScheme }: (typeof VIEWS)[number]) {
  const view = { viewport: { width, height }, colorScheme, bypassCSP: true };
  const fixture = await openSandbox(newPage, { world: "small", seed: 1 }, view);
  const compare = async (state: string) => {
    // The pointer must not hover over anything.
    await fixture.page.mouse.move(0, 0);
    const name = `${state}-${width}-${colorScheme}.png`;
    await expectScreenshot(fixture.page, join(FOLDER, name), STYLE);
  };
  await fixture.timeline.locator(".head").nth(100).waitFor({ state: "attached" });
  return { ...fixture, compare };
}

browserTest.each(VIEWS)(
  "at $width px, $colorScheme, the small world looks as before",
  async (view) => {
    const { compare } = await open(view);
    await compare("small");
  },
);

browserTest.each(VIEWS)(
  "at $width px, $colorScheme, open rows after three steps look as before",
  async (view) => {
    const { page, panel, row, detail, story, timeline, compare } = await open(view);
    for (const step of [1, 2, 3]) {
      await page.locator("#story-next").click();
      await story.getByText(`Step ${step} of 5 is done.`).waitFor();
    }
    await panel("Events");
    // The stream brings the events of the step later than the response.
    const latest = timeline.locator(".head").first();
    await latest.filter({ hasText: /^transaction\.created.*new/ }).waitFor();
    await latest.click();
    await timeline.getByText("None. Add an endpoint").waitFor();
    await panel("Resources");
    await row("2026-01-05").click();
    await detail.getByText("There is no match").waitFor();
    await timeline.locator(".head").first().getByText("card ••").waitFor({ state: "attached" });
    await compare("open");
  },
);

browserTest("the expected screenshots are few and small", () => {
  const sizes = readdirSync(FOLDER).map((name) => statSync(join(FOLDER, name)).size);
  expect(sizes).toHaveLength(2 * VIEWS.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1_500_000);
});
