import { expect, inject } from "vitest";
import { axeViolations } from "../../test/support/axe.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../test/support/browser.ts";

const url = inject("siteUrl");
const newPage = useBrowser();

/** One page of each kind, and those with unusual parts. */
const KINDS = [
  ...["/", "/guides/receiver/", "/guides/client/", "/guides/benchmarks/", "/project/contributing/"],
  ...["/reference/operations/getTransaction/", "/reference/operations/requestToken/"],
  ...["/reference/events/transaction.match.created/", "/reference/resources/card-subscriptions/"],
  ...["/reference/requirements/", "/reference/requirements/TXN-06/"],
  ...["/reference/commands/", "/reference/commands/conformance/"],
  ...["/reference/api/", "/reference/api/client/", "/decisions/0016-matching/", "/openapi/"],
];

const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"] as const;

const MAX_PAGE_BYTES = 1_000_000;

const LAYOUTS = KINDS.flatMap((path) => WIDTHS.map((width) => [path, width] as const));

browserTest.each(LAYOUTS)(
  "%s is accessible and fits into %i px, light and dark",
  async (path, width) => {
    const watched = await newPage();
    const { page } = watched;
    const sizes: Promise<{ responseBodySize: number }>[] = [];
    page.on("requestfinished", (request) => sizes.push(request.sizes()));
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
    // The reference of the API is rendered after the network is idle.
    await page.locator("main h1").first().waitFor();
    const bytes = (await Promise.all(sizes)).map((one) => one.responseBodySize);
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page), colorScheme).toEqual([]);
    }
    expectNoErrors(watched);
  },
);

browserTest("the search finds a field, and requests nothing from elsewhere", async () => {
  const watched = await newPage();
  const { page } = watched;
  await page.goto(url, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator("dialog input").fill("supersededMessageIds");
  const result = page.locator("dialog a").filter({ hasText: "TXN-06" }).first();
  await result.waitFor();
  await result.click();
  await page.getByRole("heading", { level: 1, name: "TXN-06" }).waitFor();
  expectNoErrors(watched);
});

browserTest("the theme is switched with the keyboard and kept", async () => {
  const { page } = await newPage({ colorScheme: "light" });
  await page.goto(url);
  await page.getByRole("combobox", { name: "Select theme" }).first().focus();
  await page.keyboard.type("Dark");
  const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
  await expect.poll(theme).toBe("dark");
  await page.goto(`${url}/guides/client/`);
  expect(await theme()).toBe("dark");
});

browserTest("the OpenAPI page calls the sandbox", async () => {
  const watched = await newPage({ viewport: { width: 1280, height: 900 } });
  const { page } = watched;
  await page.goto(`${url}/openapi/`, { waitUntil: "networkidle" });
  await page.getByText("calls the sandbox behind this page").waitFor();
  await page.goto(`${url}/openapi/#tag/cards/GET/cards`);
  const section = page.locator('[id*="GET/cards"]').first();
  await section.waitFor();
  await section
    .getByRole("button", { name: /Test Request/ })
    .first()
    .click();
  const answer = page.waitForResponse((response) => response.url().startsWith(`${url}/cards`));
  await page.getByRole("button", { name: /Send/ }).first().click();
  const response = await answer;
  expect(response.status()).toBe(200);
  expect((await response.json())._embedded.cards.length).toBeGreaterThan(0);
  expectNoErrors(watched);
});
