import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import type { Report, RequirementReport } from "../../../conformance/index.ts";
import { renderHtml } from "../../../conformance/report/html/index.ts";
import { viewOf } from "../../../conformance/report/view.ts";
import { exclusions } from "../../../generated/exclusions.ts";
import { claimIds, claims, requirementIds, requirements } from "../../../generated/requirements.ts";
import { faintTexts, namelessParts } from "../../sandbox/seen.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { openReport, reportOfFaulty } from "./faulty-report.ts";

const newPage = useBrowser();
let report: Report;
let html: string;
beforeAll(async () => {
  report = await reportOfFaulty();
  html = renderHtml(viewOf(report));
});

const VIEWS = [1280, 360].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => [width, colorScheme] as const),
);

const open = (view: Parameters<typeof newPage>[0] = {}, anchor = "") =>
  openReport(newPage, html, view, anchor);
const openAll = (page: Page) =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
const ids = (verdict: string) =>
  report.requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);

browserTest.each(VIEWS)(
  "at %i px, %s, everything is legible, unclipped and named",
  async (...view) => {
    const [width, colorScheme] = view;
    const watched = await open({ viewport: { width, height: 740 }, colorScheme });
    const { page } = watched;
    await openAll(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    const ground = await page.evaluate(
      "getComputedStyle(document.body.parentElement).backgroundColor",
    );
    expect(ground).toBe(colorScheme === "dark" ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
        .filter((one) => getComputedStyle(one).display !== "inline")
        .map((one) => one.outerHTML.slice(0, 120)),
    );
    expect(wide).toEqual([]);
    expect(await faintTexts(page)).toEqual([]);
    expect(await namelessParts(page)).toEqual([]);
    expectNoErrors(watched);
  },
);

browserTest("shows the result, and each requirement with a cell that links to it", async () => {
  const { page } = await open();
  const { result, sum } = viewOf(report);
  await page
    .getByRole("region", { name: `F${result.slice(1)}` })
    .getByText(sum)
    .waitFor();
  for (const id of requirementIds) {
    const summary = page.locator(`[id="${id}"] > summary`);
    expect(await summary.textContent()).toContain(requirements[id].text);
    expect(await page.locator(`a.cell[href="#${id}"]`).count()).toBe(1);
  }
});

/** A claim of a passed requirement, which the filter hides at first. */
function someClaim() {
  const [one] = report.requirements.filter(
    ({ verdict, claims = [] }) => verdict === "passed" && claims.length > 0,
  );
  const claim = one?.claims?.[0]?.id;
  if (!one || claim === undefined) throw new Error("no passed requirement has a claim");
  return { id: one.id, claim };
}

describe.each([true, false])("with script: %s", (javaScriptEnabled) => {
  browserTest("a cell links to its requirement, also to a hidden one", async () => {
    const { page, pageErrors } = await open({ javaScriptEnabled });
    const [id = ""] = ids("passed");
    await page.getByRole("link", { name: `${id} passed` }).click();
    await page.locator(`[id="${id}"] .checks`).waitFor();
    const box = await page.locator(`[id="${id}"]`).boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(300);
    expect(pageErrors).toEqual([]);
  });

  browserTest("an address names a requirement or a claim", async () => {
    const [id = ""] = ids("skipped");
    const { page } = await open({ javaScriptEnabled }, `#${id}`);
    await page.locator(`[id="${id}"] .facts`).getByText("checked", { exact: true }).waitFor();
    const { claim } = someClaim();
    const { page: other } = await open({ javaScriptEnabled }, `#${claim}`);
    const row = other.locator(`[id="${claim}"]`);
    await row.getByText(claims[claim].text).waitFor();
    const box = await row.boundingBox();
    const { height = 0 } = (await other.locator(".filter").boundingBox()) ?? {};
    expect(box?.y).toBeGreaterThanOrEqual(height);
    expect(box?.y).toBeLessThan(720);
  });

  browserTest("the filter shows the selected verdicts", async () => {
    const { page } = await open({ javaScriptEnabled });
    const visible = () => page.locator("details.requirement:visible").count();
    const { passed, partly, skipped, excluded } = report.summary;
    expect(await visible()).toBe(requirementIds.length - passed - excluded);
    await page.getByRole("checkbox", { name: "passed" }).check();
    expect(await visible()).toBe(requirementIds.length - excluded);
    for (const name of ["passed", "skipped", "partly"]) {
      await page.getByRole("checkbox", { name }).uncheck();
    }
    expect(await visible()).toBe(requirementIds.length - passed - partly - skipped - excluded);
    const groups = new Set([...ids("failed"), ...ids("warned")].map((id) => id.split("-")[0]));
    expect(await page.locator(".group:visible").count()).toBe(groups.size);
  });
});

browserTest("the search finds ids, sentences and claims among all requirements", async () => {
  const { page, pageErrors } = await open();
  const search = page.getByRole("searchbox", { name: "Search" });
  const found = () =>
    page.locator("details.requirement:visible").evaluateAll((all) => all.map(({ id }) => id));
  const before = await found();
  await search.fill("txn-05");
  expect(await found()).toEqual(["TXN-05"]);
  await search.fill("no refresh TOKEN");
  expect(await found()).toEqual(["AUTH-03"]);
  const { id, claim } = someClaim();
  await search.fill(claims[claim].text);
  expect(await found()).toContain(id);
  await page.locator(`[id="${claim}"].found`).waitFor();
  await search.fill("no such words");
  expect(await found()).toEqual([]);
  await search.fill("");
  expect(await found()).toEqual(before);
  expect(pageErrors).toEqual([]);
});

const LAPTOP = { viewport: { width: 1280, height: 720 } };

/** The lower edges of the first elements that selectors match; 0 if there is none. */
function bottomsOf(page: Page, ...selectors: string[]) {
  const bottoms = selectors.map(async (selector) => {
    const { y = 0, height = 0 } = (await page.locator(selector).first().boundingBox()) ?? {};
    return y + height;
  });
  return Promise.all(bottoms);
}

browserTest("the verdict, the counts and the first causes fit a laptop", async () => {
  const { page } = await open(LAPTOP);
  const causes = [".causes > li:first-child", ".causes > li:nth-child(2) h3"];
  const bottoms = await bottomsOf(page, "#sum", ".sums", ...causes);
  expect(bottoms.filter((bottom) => bottom === 0 || bottom > 720)).toEqual([]);
});

/** A report in which everything passes that a run can decide, half of the situations unmet. */
function passingReport(): Report {
  const all = requirementIds.map((id): RequirementReport => {
    if (exclusions[id] !== undefined) {
      return { id, verdict: "excluded", reason: exclusions[id], checks: [] };
    }
    const own = claimIds.filter((claim) => claims[claim].requirement === id);
    const passed = own.map((claim) => ({
      ...{ id: claim, verdict: "passed" as const },
      situations: claims[claim].situations.map((name, at) =>
        at % 2 === 0
          ? { name, met: true }
          : { name, met: false, reason: "no case of it occurred", hint: "add one" },
      ),
    }));
    const checks = report.requirements.find((one) => one.id === id)?.checks ?? [];
    const names = checks.map(({ name }) => ({ name, verdict: "passed" as const, assertions: 1 }));
    return { id, verdict: "passed", claims: passed, checks: names };
  });
  const excluded = all.filter(({ verdict }) => verdict === "excluded").length;
  const passed = all.length - excluded;
  const summary = { passed, failed: 0, warned: 0, partly: 0, skipped: 0, excluded };
  return { ...report, requirements: all, summary, causes: [], traffic: [] };
}

browserTest("a passing run shows its matrix on a laptop, and is short on a phone", async () => {
  const passing = renderHtml(viewOf(passingReport()));
  const laptop = await openReport(newPage, passing, LAPTOP);
  const [bottom] = await bottomsOf(laptop.page, "section:has(#matrix)");
  expect(bottom).toBeGreaterThan(400);
  expect(bottom).toBeLessThan(720);
  expect(await laptop.page.locator(".requirement:visible").count()).toBe(0);
  const phone = await openReport(newPage, passing, { viewport: { width: 390, height: 844 } });
  const height = await phone.page.evaluate("document.documentElement.scrollHeight");
  expect(height).toBeLessThan(6_000);
  expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});

browserTest("an unmet situation has its reason at its claim", async () => {
  const passing = passingReport();
  const all = passing.requirements.flatMap((one) => one.claims ?? []);
  const { id = "", situations = [] } = all.find((one) => (one.situations?.length ?? 0) > 1) ?? {};
  const { page } = await openReport(newPage, renderHtml(viewOf(passing)), LAPTOP);
  await page.getByText("situations of decided claims not met").click();
  await page.locator(".unmet").getByRole("link", { name: id, exact: true }).click();
  const { name = "" } = situations.find(({ met }) => !met) ?? {};
  const row = page.locator(`[id="${id}"]`);
  expect(await row.innerText()).toMatch(new RegExp(`${name}.*: no case of it occurred → add one`));
});

browserTest("a finding shows its member in the JSON, and links to its exchange", async () => {
  const { page } = await open();
  const finding = page.locator("#TXN-05 .findings > li").first();
  expect(await finding.locator("mark").allTextContents()).toEqual(['"mcc": 5812,']);
  const facts = await finding.locator(".facts").first().innerText();
  expect(facts).toContain("/_embedded/transactions/0/acceptor/mcc");
  expect(facts).toMatch(/Expected\s+string/);
  expect(await finding.locator("pre").textContent()).toContain('"city": ');
  await finding
    .getByRole("link", { name: /^exchange \d+$/ })
    .first()
    .click();
  const target = page.locator(".traffic > li:target");
  await target.getByRole("heading", { name: "Response" }).waitFor();
  expect(await target.innerText()).toContain("Bearer $TXFEED_TOKEN");
});

browserTest("shows when deliveries arrived, in order", async () => {
  const { page } = await open();
  const texts = await page.locator(".traffic summary").allInnerTexts();
  const times = texts.flatMap((text) => /delivery, \+(\d+\.\d{3}) s/.exec(text)?.[1] ?? []);
  expect(times.length).toBeGreaterThan(0);
  const seconds = times.map(Number);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
});

browserTest("the keyboard reaches the requirements first and opens one", async () => {
  const { page } = await open();
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate("document.activeElement.textContent.trim()");
  expect(await focused()).toBe("Skip to the requirements");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.id")).toBe("show-failed");
  const [id = ""] = ids("passed");
  await page.getByRole("checkbox", { name: "passed" }).check();
  await page.locator(`[id="${id}"] > summary`).focus();
  await page.keyboard.press("Enter");
  await page.locator(`[id="${id}"] .checks`).waitFor();
});

browserTest("print has no controls and shows all findings in full", async () => {
  const { page } = await open();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(await page.locator(".filter").isVisible()).toBe(false);
  expect(await page.locator("#TXN-05 mark").first().isVisible()).toBe(true);
  expect(await faintTexts(page)).toEqual([]);
});
