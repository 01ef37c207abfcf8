import { beforeAll, expect, test } from "vitest";
import type { Exchange, Report, RequirementReport } from "../../../conformance/index.ts";
import { renderHtml } from "../../../conformance/report/html/index.ts";
import { viewOf } from "../../../conformance/report/view.ts";
import { requirementIds } from "../../../generated/requirements.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { serve } from "../../support/local-server.ts";
import { HOSTILE, openReport, reportOfFaulty } from "./faulty-report.ts";

const newPage = useBrowser();
let real: Report;
beforeAll(async () => {
  real = await reportOfFaulty();
});

/** A report in which every text from the target is the given one. */
function reportOf(
  text: string,
  bodies: readonly string[] = [JSON.stringify({ a: [text] })],
): Report {
  const traffic = bodies.map((body, at): Exchange => {
    return {
      nr: at + 1,
      request: {
        method: "GET",
        url: `http://127.0.0.1:1/${encodeURIComponent(text.toWellFormed())}`,
        headers: { [text]: text },
        body: text,
      },
      response: { status: 200, headers: { [text]: text }, body },
      durationMs: 1,
    };
  });
  const delivery = {
    nr: bodies.length + 1,
    receivedAt: text,
    answeredAt: text,
    request: { method: "POST", path: text, headers: { [text]: text }, body: bodies[0] ?? "" },
    name: text,
  };
  const requirements = requirementIds.map((id, index): RequirementReport => {
    if (index >= Math.max(bodies.length, 30)) {
      return { id, verdict: "skipped", reason: text, hint: text, checks: [] };
    }
    const findings = Array.from({ length: 20 }, (_, at) => {
      const evidence = [(index % bodies.length) + 1, delivery.nr];
      const comparison = { expected: text, actual: text };
      const level = "error" as const;
      const path = at === 0 ? "/a/0" : `/${text}`;
      return { requirement: id, level, path, message: text, ...comparison, evidence };
    });
    const checks = [
      { name: text, verdict: "failed" as const, assertions: 20, reproduce: text, findings },
    ];
    return { id, verdict: "failed", reason: text, hint: text, checks };
  });
  const [known] = requirementIds.map((id) => ({ requirement: id, reason: text, expires: text }));
  const cause = {
    message: text,
    level: "error",
    requirements: ["TXN-01"],
    findings: 1,
    evidence: [1],
  } as const;
  const failures = known ? [known] : [];
  return {
    ...real,
    target: text,
    startedAt: text,
    brokenOff: text,
    requirements,
    causes: [{ ...cause, places: [text, text], expected: text, actual: text }],
    suiteErrors: [{ requirement: "TXN-01", check: text, message: text }],
    baseline: { known: failures, stale: failures, expired: failures, undecided: failures },
    traffic: [...traffic, delivery],
  };
}

const LONG_WORD = "w".repeat(5_000);

browserTest.each([
  ["markup", HOSTILE],
  [
    "a quote and an event handler",
    `" onmouseover="window.spoilt=1" autofocus onfocus="window.spoilt=1`,
  ],
  ["comments and sections", "--><![CDATA[ <!-- </style><svg/onload=window.spoilt=1> ]]>"],
  ["very long words", LONG_WORD],
  ["right-to-left letters", "\u202e\u2066 \u05e9\u05dc\u05d5\u05dd \u2067".repeat(20)],
  [
    "control characters and lone surrogates",
    "\u0000\u0007\u001b[2J\u009b\ud800 \udfff\u2028\ufeff",
  ],
])("%s remain text", async (_, text) => {
  const html = renderHtml(viewOf(reportOf(text)));
  const view = { viewport: { width: 360, height: 740 } };
  const watched = await openReport(newPage, html, view);
  const { page } = watched;
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  expect(await page.evaluate("window.spoilt")).toBeUndefined();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  expect(await page.locator("script, img, iframe, object, embed, form").count()).toBe(1);
  const addresses = await page
    .locator("a")
    .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(addresses.filter((address) => !/^#[A-Za-z0-9.-]+$/.test(address ?? ""))).toEqual([]);
  const targets = addresses.map((address) => address?.slice(1) ?? "");
  const missing = await page.evaluate(
    (ids) => ids.filter((id) => !document.getElementById(id)),
    targets,
  );
  expect(missing).toEqual([]);
  const attributes = await page.evaluate(() =>
    [...document.querySelectorAll("*")].flatMap((one) =>
      [...one.attributes].map(({ name }) => name),
    ),
  );
  expect(attributes.filter((name) => name.startsWith("on") || name === "style")).toEqual([]);
  const shown = (await page.locator("h1").textContent()) ?? "";
  expect(shown).not.toMatch(/\p{Cc}|\p{Cs}|[\u2028\u202a-\u202e\u2066-\u2069]/u);
  expectNoErrors(watched);
});

browserTest("injected scripts do not run and nothing is requested", async () => {
  const requests: string[] = [];
  const origin = await serve(({ url = "" }, response) => {
    requests.push(url);
    response.end();
  });
  const injected = [
    "<script>window.spoilt=1</script>",
    `<script src="${origin}/script"></script><img src="${origin}/img" onerror="window.spoilt=1">`,
    `<link rel="stylesheet" href="${origin}/style"><iframe src="${origin}/frame"></iframe>`,
    `<style>h1 { color: rgb(1, 2, 3) }</style><p style="color: rgb(1, 2, 3)" id="own">x</p>`,
    `<a id="handler" href="#" onclick="window.spoilt=1">x</a>`,
  ];
  const html = renderHtml(viewOf(real)).replace("</main>", `${injected.join("")}</main>`);
  const { page, pageErrors } = await openReport(newPage, html);
  await page.locator("#handler").click();
  expect(await page.evaluate("window.spoilt")).toBeUndefined();
  const colour = (selector: string) =>
    `getComputedStyle(document.querySelector("${selector}")).color`;
  expect(await page.evaluate(colour("h1"))).not.toBe("rgb(1, 2, 3)");
  expect(await page.evaluate(colour("#own"))).not.toBe("rgb(1, 2, 3)");
  await page.evaluate(`fetch("${origin}/fetch").catch(() => {})`);
  expect(requests).toEqual([]);
  expect(pageErrors.length).toBeGreaterThan(injected.length);
});

test("30 failures with bodies of 5 MB make a page below a megabyte", () => {
  const items = Array.from({ length: 20_000 }, (_, at) => ({ id: `${at}`, text: "x".repeat(230) }));
  const body = JSON.stringify({ a: [items], b: "y".repeat(400_000) });
  expect(body.length).toBeGreaterThan(5_000_000);
  const html = renderHtml(viewOf(reportOf(HOSTILE, Array(10).fill(body))));
  expect(html.length).toBeLessThan(1_000_000);
  expect(html.match(/<mark>/g)?.length).toBeGreaterThan(30);
});

test.each([
  ["markup", "<b>".repeat(2_000_000)],
  ["arrays nested a million deep", "[".repeat(1_000_000)],
  ["nested arrays that are closed", "[".repeat(5_000) + "]".repeat(5_000)],
  ["an array of 300,000 empty arrays", `[${"[],".repeat(299_999)}[]]`],
  ["one very long name", JSON.stringify({ ["k".repeat(3_000_000)]: 1 })],
])("a body of %s is truncated", (_, body) => {
  const html = renderHtml(viewOf(reportOf("x", Array(4).fill(body))));
  expect(html.length).toBeLessThan(1_000_000);
});

test("a report in which everything fails is below 1 MB with working links", () => {
  const bodies = requirementIds.map((id) => JSON.stringify({ a: [{ id, text: HOSTILE }] }));
  const html = renderHtml(viewOf(reportOf(LONG_WORD, bodies)));
  expect(html.length).toBeLessThan(1_000_000);
  const ids = new Set(html.match(/(?<= id=")[^"]+/g));
  const linked = html.match(/(?<= href="#)[^"]+/g) ?? [];
  expect(linked.filter((id) => !ids.has(id))).toEqual([]);
});

test("the same report gives the same page", () => {
  expect(renderHtml(viewOf(structuredClone(real)))).toBe(renderHtml(viewOf(real)));
});
