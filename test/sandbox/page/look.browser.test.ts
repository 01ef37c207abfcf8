import { expect } from "vitest";
import { axeViolations } from "../../support/axe.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { faintTexts, namelessParts } from "../seen.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

const boxIn = (element: Element) => {
  const { top, left, right, bottom } = element.getBoundingClientRect();
  return { top, left, right, bottom };
};

type Fixture = Awaited<ReturnType<typeof openSandbox>>;

const PANELS = ["Stories", "Resources", "Events", "Controls"] as const;

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;

const VIEWS = SIZES.flatMap((viewport) =>
  (["light", "dark"] as const).map((colorScheme) => ({ ...viewport, colorScheme })),
);

const open = ({ width, height, colorScheme }: (typeof VIEWS)[number], options = {}) =>
  openSandbox(newPage, options, { viewport: { width, height }, colorScheme });

/** Checks every panel: axe, contrast, names, and that nothing is wider than the window. */
async function checkPanels({ page, panel }: Fixture, state: string): Promise<void> {
  const [width, height] = Object.values(page.viewportSize() ?? {});
  for (const name of PANELS) {
    await panel(name);
    const at = `${state}, ${name}`;
    expect([at, await axeViolations(page)]).toEqual([at, []]);
    expect([at, await faintTexts(page)]).toEqual([at, []]);
    expect([at, await namelessParts(page)]).toEqual([at, []]);
    const size = await page.evaluate(
      "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
    );
    expect([at, size]).toEqual([at, [width, height]]);
    const parts = page.locator(".content, .foot, .bar, .outcome, header");
    const cut = await parts.evaluateAll((all) =>
      all.filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.outerHTML),
    );
    expect([at, cut]).toEqual([at, []]);
  }
}

browserTest.each(VIEWS)(
  "at $width px, $colorScheme, an empty sandbox is accessible and fits",
  async (view) => {
    const fixture = await open(view);
    await checkPanels(fixture, "empty");
    expectNoErrors(fixture.watched);
  },
);

browserTest.each(VIEWS)(
  "at $width px, $colorScheme, the small world is accessible and fits in each state",
  async (view) => {
    const webhooks = [{ url: "http://127.0.0.1:9/a-receiver-that-is-not-there" }];
    const fixture = await open(view, { world: "small", webhooks });
    const { sandbox, page, panel, tab, row, timeline, story, group, resources } = fixture;
    await checkPanels(fixture, "small world");
    await panel("Stories");
    await page.locator("#story-next").click();
    await story.getByText("Step 1 of 5 is done.").waitFor();
    await sandbox.settle();
    await panel("Resources");
    await tab("Cards");
    await row("reqSCA").click();
    await resources
      .locator(".detail")
      .getByRole("button", { name: "Options of link-card" })
      .click();
    await panel("Events");
    await timeline.locator(".head").first().click();
    await timeline.getByRole("list", { name: "Attempts" }).waitFor();
    await panel("Controls");
    for (const name of ["Endpoints", "Faults", "Snapshots", "Reset"]) await group(name);
    await group("Accounts and credentials");
    await page.getByRole("button", { name: "Add to api" }).click();
    await checkPanels(fixture, "open rows and forms");
    await panel("Resources");
    await resources.locator("#creators .verb").last().click();
    await fixture.outcome.getByText("It sent").waitFor();
    await checkPanels(fixture, "outcome");
    expectNoErrors(fixture.watched);
  },
  // axe takes seconds for each of the many rows.
  180_000,
);

browserTest("at 390 px, every target of a touch is at least 44 px high and wide", async () => {
  const viewport = { width: 390, height: 844 };
  const fixture = await openSandbox(newPage, { world: "small" }, { viewport });
  const { page, panel, resources, timeline, group } = fixture;
  await page.locator("#story-next").click();
  await page.locator("#story .chip").first().waitFor();
  await panel("Resources");
  await resources.locator(".head").first().click();
  await resources.locator(".detail .options").first().click();
  await panel("Events");
  await timeline.locator(".head").first().click();
  await panel("Controls");
  for (const name of ["Endpoints", "Faults", "Snapshots", "Reset"]) await group(name);
  for (const name of PANELS) {
    await panel(name);
    const targets = page.locator("button, input, select, summary, a.hosted");
    const small = await targets.evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .filter((one) => {
          const { width, height } = one.getBoundingClientRect();
          return width < 44 || height < 44;
        })
        .map((one) => one.outerHTML),
    );
    expect([name, small]).toEqual([name, []]);
  }
});

browserTest("at 390 px, the panels and the main action are at the bottom", async () => {
  const viewport = { width: 390, height: 844 };
  const { page } = await openSandbox(newPage, {}, { viewport });
  const nav = await page.getByRole("navigation", { name: "Panels" }).boundingBox();
  expect(nav && nav.y + nav.height).toBe(844);
  const next = await page.locator("#story-next").boundingBox();
  expect(next?.y).toBeGreaterThan(844 * 0.75);
});

browserTest("at 390 px, the title and the connection are beside the buttons", async () => {
  const viewport = { width: 390, height: 844 };
  const { sandbox, page } = await openSandbox(newPage, { world: "small" }, { viewport });
  const boxOf = (selector: string) => page.locator(selector).evaluate(boxIn);
  const advance = await boxOf(".advance");
  for (const isConnected of [true, false]) {
    if (!isConnected) await sandbox.close();
    const connection = isConnected ? "Live" : "Not connected; trying again";
    await page.getByText(connection, { exact: true }).waitFor();
    const [title, state] = [await boxOf("h1"), await boxOf("#connection")];
    expect(title.right).toBeLessThan(state.left);
    expect(state.right).toBeLessThan(advance.left);
    for (const { top, bottom } of [title, state]) {
      expect([top >= advance.top, bottom <= advance.bottom]).toEqual([true, true]);
    }
  }
});

browserTest("has landmarks and a heading for each panel", async () => {
  const { page } = await openSandbox(newPage);
  for (const role of ["banner", "navigation", "main"] as const) {
    expect([role, await page.getByRole(role).count()]).toEqual([role, 1]);
  }
  const headings = page.getByRole("heading", { level: 2 });
  expect(await headings.allInnerTexts()).toEqual(["Story", "Resources", "Events"]);
  await page.getByRole("button", { name: "Controls" }).click();
  expect(await headings.allInnerTexts()).toEqual(["Controls", "Resources", "Events"]);
});
