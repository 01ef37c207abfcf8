import { expect } from "vitest";
import { browserTest, useBrowser } from "../../support/browser.ts";
import { openFixture } from "./fixture.ts";

const newPage = useBrowser();

browserTest("SDK-02: a token that expired in the route's cache is renewed", async () => {
  const { sandbox, openForm, card, press, calls, tokenRequests } = await openFixture(newPage);
  await openForm();
  await card.waitFor();
  // Advance only the sandbox's clock: the route and the page still consider the token valid.
  await sandbox.advance("301s");
  await press("Enroll");
  expect((await calls()).map((call) => Object.keys(call))).toEqual([["onSuccess"]]);
  expect(await tokenRequests()).toBe(2);
});

browserTest("SDK-02: a form works with an expired token from the route", async () => {
  const { sandbox, site, openForm, card, tokenRequests } = await openFixture(newPage);
  await fetch(`${site}/sdk-token`, { method: "POST" });
  await sandbox.advance("301s");
  await openForm();
  await card.waitFor();
  expect(await tokenRequests()).toBe(2);
});
