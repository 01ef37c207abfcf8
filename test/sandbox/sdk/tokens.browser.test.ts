import { expect } from "vitest";
import { browserTest, useBrowser } from "../../support/browser.ts";
import { type Called, openFixture } from "./fixture.ts";

const newPage = useBrowser();
const open = () => openFixture(newPage);
const errorsOf = (calls: readonly Called[]) => calls.map(({ onError }) => onError);

browserTest("SDK-03: a token that takes longer than 5 seconds is a timeout error", async () => {
  const { page, openForm, tokenRequests, called, calls } = await open();
  await openForm("{ getAccessToken: () => new Promise((resolve) => { give = resolve }) }");
  await expect.poll(tokenRequests).toBe(1);
  await page.clock.runFor(4999);
  expect(await called()).toEqual([]);
  await page.clock.runFor(1);
  const message = "getAccessToken took longer than 5000 ms";
  expect(await calls()).toEqual([{ onError: "timeout", message }]);
  // A late token changes nothing.
  await page.evaluate("parameters.getAccessToken().then(give)");
  expect(await calls()).toHaveLength(1);
});

browserTest("SDK-03: a token that takes just under 5 seconds is in time", async () => {
  const { page, openForm, tokenRequests, card, called } = await open();
  await page.evaluate("parameters.getAccessToken().then((token) => { window.token = token })");
  await openForm(
    "{ getAccessToken: () => new Promise((resolve) => setTimeout(resolve, 4999, token)) }",
  );
  await expect.poll(tokenRequests).toBe(1);
  await page.clock.runFor(4999);
  await card.waitFor();
  expect(await called()).toEqual([]);
});

browserTest("SDK-02: a token that expires during the session is renewed", async () => {
  const { page, openForm, card, press, pass, calls, tokenRequests } = await open();
  await openForm();
  await card.waitFor();
  expect(await tokenRequests()).toBe(1);
  await pass(301);
  await page.clock.fastForward(301_000);
  await press("Enroll");
  expect((await calls()).map((call) => Object.keys(call))).toEqual([["onSuccess"]]);
  expect(await tokenRequests()).toBe(2);
});

browserTest("SDK-02: each rejected token is renewed once", async () => {
  const { page, openForm, card, press, calls, tokenRequests, sandbox, account } = await open();
  const { accountId, sdkClientId, sdkClientSecret } = account;
  /** A token by the sandbox's current clock: the page's own route uses another clock. */
  const addToken = async () => {
    const path = `/auth/realms/${accountId}/protocol/openid-connect/token`;
    const body = new URLSearchParams({
      ...{ grant_type: "client_credentials", client_id: sdkClientId },
      client_secret: sdkClientSecret,
    });
    const response = await fetch(sandbox.baseUrl + path, { method: "POST", body });
    const { access_token: token } = await response.json();
    await page.evaluate((one) => Object(window).tokens.push(one), token);
  };
  await page.evaluate("window.tokens = []");
  await addToken();
  await sandbox.advance("301s");
  await addToken();
  // The route still returns the first token, which expires before the form opens.
  await openForm("{ getAccessToken: async () => tokens[tokenRequests - 1] }");
  await card.waitFor();
  expect(await tokenRequests()).toBe(2);
  await sandbox.advance("301s");
  await addToken();
  await press("Enroll");
  expect((await calls()).map((call) => Object.keys(call))).toEqual([["onSuccess"]]);
  expect(await tokenRequests()).toBe(3);
});

browserTest("SDK-03: renewing a token has a timeout of 5 seconds too", async () => {
  const { page, openForm, card, press, pass, calls, tokenRequests } = await open();
  await openForm(`{
    getAccessToken: () => tokenRequests === 1 ? parameters.getAccessToken() : new Promise(() => {}),
  }`);
  await card.waitFor();
  await pass(301);
  await press("Enroll");
  await expect.poll(tokenRequests).toBe(2);
  await page.clock.runFor(5000);
  expect(errorsOf(await calls())).toEqual(["timeout"]);
});

browserTest("a rejected new token is an error and is not renewed again", async () => {
  const { openForm, calls, tokenRequests } = await open();
  await openForm("{ getAccessToken: async () => 'nonsense' }");
  expect(errorsOf(await calls())).toEqual(["unauthorized"]);
  expect(await tokenRequests()).toBe(2);
});

browserTest.each([
  ["rejects", "async () => { throw new Error('no') }", "token"],
  ["throws", "() => { throw new Error('no') }", "token"],
  ["resolves to nothing", "async () => undefined", "token"],
  ["is missing", "undefined", "usage"],
])("getAccessToken that %s is an error", async (_, source, code) => {
  const { openForm, calls } = await open();
  await openForm(`{ getAccessToken: ${source} }`);
  expect(errorsOf(await calls())).toEqual([code]);
});

browserTest("AUTH-12: another account's subaccount is refused", async () => {
  const { openForm, calls, sandbox } = await open();
  const { accountId } = sandbox.accounts[1];
  const { result } = await sandbox.trigger("open-subaccount", { accountId });
  await openForm(JSON.stringify(result));
  const message = `there is no subaccount ${result.subaccountId}`;
  expect(await calls()).toEqual([{ onError: "refused", message }]);
});

browserTest("the form is also an ES module", async () => {
  const { page, sandbox, card } = await open();
  const address = JSON.stringify(`${sandbox.controlUrl}/sdk/open-form.js`);
  await page.evaluate(`import(${address}).then(({ openForm }) => openForm(parameters))`);
  await card.waitFor();
});

browserTest("an unreachable sandbox is a network error", async () => {
  const { page, openForm, card, press, called } = await open();
  await openForm();
  await card.waitFor();
  await page.route("**/sdk/enrollments", (route) => route.abort());
  await press("Enroll");
  await expect.poll(async () => errorsOf(await called())).toEqual(["network"]);
});
