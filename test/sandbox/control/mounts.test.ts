import { expect, test } from "vitest";
import { startHarness } from "./harness.ts";

test("the page is served with a trailing slash, and redirected to it without one", async () => {
  const { send, url } = await startHarness();
  expect(await send("GET", "")).toMatchObject({ status: 302, headers: { location: "/_sandbox/" } });
  const page = await send("GET", "/");
  expect(page.status).toBe(200);
  expect(page.headers["content-type"]).toMatch(/^text\/html/);
  expect(page.text).toContain("<!doctype html>");
  const followed = await fetch(url);
  expect(followed.url).toBe(`${url}/`);
});

test("the page is refused for other hosts and accepts only GET", async () => {
  const { send } = await startHarness();
  expect((await send("GET", "/", { host: "elsewhere.example" })).status).toBe(403);
  expect((await send("POST", "/", { origin: "http://elsewhere.example" })).status).toBe(403);
  expect(await send("POST", "/")).toMatchObject({ status: 404, json: { status: 404 } });
});

test("the SDK stand-in allows other origins and requires a token", async () => {
  const { send } = await startHarness();
  const origin = "http://elsewhere.example";
  expect((await send("GET", "/sdk.js", { origin })).status).toBe(200);
  expect((await send("GET", "/sdk/test-cards", { origin })).status).toBe(401);
});

test("HEAD returns GET's response without the body", async () => {
  const { send } = await startHarness();
  expect(await send("HEAD", "/status")).toMatchObject({ status: 200, text: "" });
});
