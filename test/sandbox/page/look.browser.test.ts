import { expect } from "vitest";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { faintTexts, namelessParts } from "../seen.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

const VIEWS = [1280, 800, 360].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => [width, colorScheme] as const),
);

/** A page with all content: a small world, all details open, and an outcome. */
async function openAll(width: number, colorScheme: "light" | "dark") {
  const view = { viewport: { width, height: 740 }, colorScheme };
  const webhooks = [{ url: "http://127.0.0.1:9/a-receiver-that-is-not-there" }];
  const fixture = await openSandbox(newPage, { world: "small", webhooks }, view);
  const { sandbox, page } = fixture;
  await sandbox.trigger("purchase");
  await sandbox.settle();
  await page.getByRole("list", { name: "Attempts" }).first().waitFor();
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  await fixture.press("sca-fail");
  await page.locator("#outcome dl, #outcome p").first().waitFor();
  return fixture;
}

browserTest.each(VIEWS)(
  "at %i px, %s, text has contrast and names, and is not cut off",
  async (...view) => {
    const { page, watched } = await openAll(...view);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(view[0]);
    const cut = (element: Element) => element.scrollWidth > element.clientWidth;
    for (const part of await page.locator(".controls, main, .log, .outcome").all()) {
      expect(await part.evaluate(cut)).toBe(false);
    }
    expect(await faintTexts(page)).toEqual([]);
    expect(await namelessParts(page)).toEqual([]);
    expectNoErrors(watched);
  },
);

browserTest("has landmarks and a heading for each section", async () => {
  const { page } = await openSandbox(newPage);
  for (const role of ["banner", "navigation", "complementary", "main"] as const) {
    expect([role, await page.getByRole(role).count()]).toEqual([role, 1]);
  }
  const headings = page.getByRole("heading", { level: 2 });
  const titles = ["Clock", "Actions", "Endpoints", "State", "Transactions", "Matches"];
  const others = ["Subscriptions", "Bank", "Deliveries", "Events"];
  expect(await headings.allInnerTexts()).toEqual([...titles, ...others]);
  const links = await page.getByRole("navigation").getByRole("link").all();
  for (const link of links) {
    const target = (await link.getAttribute("href")) ?? "";
    expect(await page.locator(target).count()).toBe(1);
  }
});

browserTest(
  "the keyboard reaches the transactions directly, and a verb with its fields",
  async () => {
    const { sandbox, page, outcome } = await openSandbox(newPage);
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the transactions");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.getByRole("button", { name: "open-subaccount", exact: true }).focus();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Fields of open-subaccount");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Second desk");
    await page.keyboard.press("Enter");
    await outcome.getByText("subaccountId").waitFor();
    const [subaccount] = await sandbox.resources("subaccounts");
    expect(subaccount?.hidden).toEqual({ name: "Second desk" });
  },
);

browserTest("collapses its actions on narrow screens", async () => {
  const view = { viewport: { width: 360, height: 740 } };
  const { page } = await openSandbox(newPage, {}, view);
  const purchase = page.getByRole("button", { name: "purchase", exact: true });
  expect(await purchase.isVisible()).toBe(false);
  await page.getByText("All actions").click();
  expect(await purchase.isVisible()).toBe(true);
});
