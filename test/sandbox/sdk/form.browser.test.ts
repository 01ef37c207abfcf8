import { expect } from "vitest";
import { browserTest, useBrowser } from "../../support/browser.ts";
import { openFixture } from "./fixture.ts";

const newPage = useBrowser();
const open = () => openFixture(newPage);

browserTest("SDK-01: the approved card calls onSuccess and is active", async () => {
  const { page, choose, calls, sandbox, subscriptions, tokenRequests } = await open();
  await choose("Approved 9999");
  const called = await calls();
  const [subscription, ...others] = await subscriptions();
  const { id: subscriptionId, cardId, state } = subscription ?? {};
  expect(called).toEqual([{ onSuccess: { subscriptionId, cardId } }]);
  expect({ state, others }).toEqual({ state: "active", others: [] });
  const names = (await sandbox.events()).map(({ name }) => name);
  expect(names).toEqual(["cardsubscription.created", "cardsubscription.updated"]);
  expect(await tokenRequests()).toBe(1);
  // Closing the form restores the focus.
  expect(await page.evaluate("document.activeElement.id")).toBe("enroll");
});

browserTest("SUB-05: a card becomes active only when it passes its challenge", async () => {
  const { dialog, choose, press, called, calls, states } = await open();
  await choose("Approved after a challenge");
  await dialog.getByText("Your bank asks you to confirm").waitFor();
  expect(await states()).toEqual(["reqSCA"]);
  expect(await called()).toEqual([]);
  await press("Confirm");
  expect((await calls()).map((call) => Object.keys(call))).toEqual([["onSuccess"]]);
  expect(await states()).toEqual(["active"]);
});

browserTest("a failed challenge calls onError, and the enrollment stays pending", async () => {
  const { choose, press, calls, states } = await open();
  await choose("Fails its challenge");
  await press("Confirm");
  const message = "the challenge failed";
  expect(await calls()).toEqual([{ onError: "sca-failed", message }]);
  expect(await states()).toEqual(["reqSCA"]);
});

browserTest("the declined card calls onError, and nothing is enrolled", async () => {
  const { choose, calls, sandbox, states } = await open();
  await choose("Declined");
  const message = "the issuer declines this card";
  expect(await calls()).toEqual([{ onError: "declined", message }]);
  expect(await states()).toEqual([]);
  expect(await sandbox.events()).toEqual([]);
});

browserTest("the button Cancel calls onCancel, and nothing is enrolled", async () => {
  const { openForm, card, press, calls, states } = await open();
  await openForm();
  await card.waitFor();
  await press("Cancel");
  expect(await calls()).toEqual([{ onCancel: true }]);
  expect(await states()).toEqual([]);
});

browserTest("Escape calls onCancel, also during the challenge", async () => {
  const { page, dialog, choose, calls, states } = await open();
  await choose("Approved after a challenge");
  await dialog.getByRole("button", { name: "Confirm" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await calls()).toEqual([{ onCancel: true }]);
  expect(await states()).toEqual(["reqSCA"]);
});

browserTest("canceling while the token is pending enrolls nothing", async () => {
  const { page, openForm, press, calls, states, tokenRequests } = await open();
  await openForm("{ getAccessToken: () => new Promise((resolve) => { give = resolve }) }");
  await expect.poll(tokenRequests).toBe(1);
  await press("Cancel");
  await page.evaluate("parameters.getAccessToken().then(give)");
  expect(await calls()).toEqual([{ onCancel: true }]);
  expect(await states()).toEqual([]);
});

browserTest("the form works with only the keyboard", async () => {
  const { page, dialog, card, calls, states } = await open();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await card.waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Confirm" }).waitFor();
  await page.keyboard.press("Enter");
  expect((await calls()).map((call) => Object.keys(call))).toEqual([["onSuccess"]]);
  expect(await states()).toEqual(["active"]);
});

browserTest("a second enrollment offers only cards not enrolled yet", async () => {
  const { page, choose, calls, states } = await open();
  await choose("Approved 9999");
  await calls();
  await page.evaluate("calls.length = 0");
  await choose("Approved 9999");
  await calls();
  expect(await states()).toEqual(["active", "active"]);
});

browserTest("every part of the form has a role and a name", async () => {
  const { dialog, openForm, card } = await open();
  await openForm();
  await card.waitFor();
  expect(await dialog.ariaSnapshot()).toMatchInlineSnapshot(`
    "- dialog "Enroll a card with Meridian Tools":
      - heading "Enroll a card with Meridian Tools" [level=2]
      - paragraph: "This is a sandbox: no real card is needed."
      - group "Test card":
        - text: Test card
        - radio "Approved 9999 0000 0000 0001 NETWORK_A" [checked]
        - strong: Approved
        - text: 9999 0000 0000 0001 NETWORK_A
        - radio "Approved after a challenge 9999 0000 0000 0002 NETWORK_A"
        - strong: Approved after a challenge
        - text: 9999 0000 0000 0002 NETWORK_A
        - radio "Fails its challenge 9999 0000 0000 0003 NETWORK_A"
        - strong: Fails its challenge
        - text: 9999 0000 0000 0003 NETWORK_A
        - radio "Declined 9999 0000 0000 0004 NETWORK_A"
        - strong: Declined
        - text: 9999 0000 0000 0004 NETWORK_A
      - button "Enroll"
      - button "Cancel""
  `);
});
