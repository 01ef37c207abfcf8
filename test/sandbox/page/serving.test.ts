import { expect, onTestFinished, test } from "vitest";
import { eventNames } from "../../../generated/events.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { loadPageAssets } from "../../../src/sandbox/page/assets.ts";

async function open() {
  const sandbox = await createSandbox({ world: "empty", validate: true });
  onTestFinished(() => sandbox.close());
  const get = (path: string, init: RequestInit = {}) => fetch(sandbox.controlUrl + path, init);
  return { sandbox, get };
}

const ASSETS = await loadPageAssets();

test("is served below a slash, because its links are relative", async () => {
  const { get } = await open();
  const { status, headers } = await get("", { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([302, "/_sandbox/"]);
  const page = await get("/");
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
});

test("has a CSP that allows only its own origin and nothing inline", async () => {
  const { get } = await open();
  const page = await get("/");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toMatch(/unsafe|http|\*/);
  const text = await page.text();
  expect(text).not.toMatch(/ style=| on\w+=|<style|<script(?! type="module" src="assets\/)/);
  expect(text).not.toMatch(/https?:/);
});

test.each([...ASSETS.keys()])("serves %s with its type, and 304 if unchanged", async (name) => {
  const { get } = await open();
  const { status, headers } = await get(`/assets/${name}`);
  expect(status).toBe(200);
  const types = { js: "text/javascript", css: "text/css", svg: "image/svg", html: "text/html" };
  const type = types[name.slice(name.lastIndexOf(".") + 1) as keyof typeof types];
  expect(headers.get("content-type")?.startsWith(type)).toBe(true);
  expect(headers.get("cache-control")).toBe("no-cache");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const tag = { "if-none-match": headers.get("etag") ?? "" };
  expect((await get(`/assets/${name}`, { headers: tag })).status).toBe(304);
});

test.each(["nothing.js", "..%2Froutes.ts", "page.tsx"])("has no asset %s", async (name) => {
  const { get } = await open();
  expect((await get(`/assets/${name}`)).status).toBe(404);
});

test("serves what the page needs of the contract, with the page's policy", async () => {
  const { get } = await open();
  const response = await get("/contract.json");
  expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  const { events, diagrams, listed, inputs } = await response.json();
  expect(Object.keys(events)).toEqual(eventNames);
  expect(events["bankaccount.state_changed"]).toEqual({
    requirements: ["BAC-04", "WHK-01", "WHK-02"],
    kind: "bank-accounts",
  });
  expect(events["enrichment.merchant.created"].kind).toBe(null);
  expect(Object.keys(diagrams)).toEqual([
    ...["card-subscriptions", "network-bulk-feeds", "transactions", "bank-links", "bank-accounts"],
    ...["bank-transactions", "transaction-matches"],
  ]);
  expect(listed).toEqual(["bank-links"]);
  expect(Object.keys(inputs.setFaults.properties)).toEqual(["api", "deliveries", "listLagMs"]);
});

test("the page's files are small", () => {
  const sizes = [...ASSETS.values()].map((text) => text.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(120_000);
});

test("shows a bank link's account names as text", async () => {
  const { sandbox, get } = await open();
  const accounts = [{ name: "<script>alert(1)</script>", mask: "4711" }];
  const { bankLinkId } = (await sandbox.trigger("link-start", { accounts })).result;
  const page = await get(`/link/${bankLinkId}`);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  const text = await page.text();
  expect(text).toContain("&lt;script&gt;alert(1)");
  expect(text).toContain("ends in 4711");
});

test("reports an unknown bank link", async () => {
  const { get } = await open();
  const page = await get("/link/none");
  expect(page.status).toBe(404);
  expect(await page.text()).toContain("This bank link does not exist.");
});
