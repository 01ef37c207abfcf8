import { expect } from "vitest";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

/** An empty world with an enrolled card that is linked to a bank account. */
async function open(options = {}) {
  const fixture = await openSandbox(newPage, options);
  const { sandbox } = fixture;
  await sandbox.trigger("link-complete");
  await sandbox.trigger("upgrade");
  await sandbox.trigger("sca-pass");
  return fixture;
}

browserTest("shows a purchase live until its settlement", async () => {
  const { sandbox, section, watched } = await open();
  const first = section("Transactions").getByRole("listitem").first();
  const { result } = await sandbox.trigger("purchase", {
    amount: 12.5,
    merchant: { descriptor: "CORNER CAFE 12" },
  });
  const { transactionId } = result;
  await first.getByText("CORNER CAFE 12").waitFor();
  await first.getByText("PENDING").waitFor();
  await expect.poll(() => first.innerText()).toMatch(/Hold\s12\.50 EUR\s+Settled\s0\.00 EUR/);
  await sandbox.trigger("bank-post", { transactionId });
  await first.getByText("SETTLED").waitFor();
  await expect.poll(() => first.innerText()).toMatch(/Hold\s0\.00 EUR\s+Settled\s12\.50 EUR/);
  expectNoErrors(watched);
});

browserTest("TXN-08: a superseded message is struck through and marked as deleted", async () => {
  const { sandbox, section, watched } = await open();
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("bank-post", { transactionId });
  await sandbox.trigger("clear", { transactionId });
  const messages = section("Transactions").getByRole("list", { name: "Messages" }).first();
  const struckOut = messages.getByRole("deletion");
  await struckOut.waitFor();
  expect(await struckOut.innerText()).toContain("PROVIDER_A");
  expect(await messages.getByRole("listitem").count()).toBe(3);
  expect(await messages.getByText("superseded").count()).toBe(1);
  const lines = await struckOut
    .locator("> *")
    .evaluateAll((parts) => parts.map((part) => getComputedStyle(part).textDecorationLine));
  expect(new Set(lines)).toEqual(new Set(["line-through"]));
  expectNoErrors(watched);
});

browserTest("TXN-10: without a projection it shows ids, with superseded ones struck", async () => {
  const { sandbox, section } = await open();
  await sandbox.trigger("switch-projection", { on: false });
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("bank-post", { transactionId });
  const { messageId } = (await sandbox.trigger("clear", { transactionId })).result;
  const messages = section("Transactions").getByRole("list", { name: "Messages" }).first();
  await messages.getByText(messageId).waitFor();
  expect(await messages.getByRole("listitem").count()).toBe(3);
  expect(await messages.getByRole("deletion").count()).toBe(1);
  const shown = messages.getByText(messageId);
  expect(await shown.evaluate((id) => id.scrollWidth > id.clientWidth)).toBe(false);
});

browserTest("shows a match with its confidence and reasons, until it is retracted", async () => {
  const { sandbox, section } = await open();
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  const { bankTransactionId } = (await sandbox.trigger("bank-post", { transactionId })).result;
  const match = section("Matches").getByRole("listitem").first();
  await match.getByText("HIGH").waitFor();
  const reasons = match.getByRole("list", { name: "Reasons" }).getByRole("listitem");
  const types = (await reasons.allInnerTexts()).map((text) => text.split("\n")[0]);
  expect(types).toEqual(["Amount", "Date", "Merchant"]);
  await sandbox.trigger("provider-remove", { bankTransactionId: bankTransactionId ?? "" });
  await section("Matches").getByText("None yet").waitFor();
  await section("Bank").getByText("deleted").waitFor();
  expect(await section("Bank").getByRole("deletion").count()).toBe(1);
});

browserTest("shows the states of enrollments and bank accounts", async () => {
  const { sandbox, section } = await open();
  const first = section("Subscriptions").getByRole("listitem").first();
  await first.getByText("cardholder-single").waitFor();
  await first.getByText("bank account").waitFor();
  await sandbox.trigger("enroll");
  await first.getByText("reqSCA").waitFor();
  await sandbox.trigger("sca-pass");
  await first.getByText("active", { exact: true }).waitFor();
  await sandbox.trigger("feed-submit");
  await section("Subscriptions").getByText("submitted").waitFor();
  await sandbox.trigger("feed-reject");
  await section("Subscriptions").getByText("failed").waitFor();
  await sandbox.trigger("disconnect");
  await section("Bank").getByText("disconnected").waitFor();
});

browserTest("names the account of resources not owned by the first account", async () => {
  const { sandbox, section } = await open();
  const { accountId } = sandbox.accounts[1];
  const subscriptions = section("Subscriptions");
  await subscriptions.getByText("cardholder-single").waitFor();
  expect(await subscriptions.getByText("account 2").count()).toBe(0);
  await sandbox.trigger("enroll", { accountId });
  await subscriptions.getByText("account 2").waitFor();
});

browserTest("shows the log live, latest first, and an event's body when opened", async () => {
  const { sandbox, section } = await open();
  const entries = section("Events").getByRole("listitem");
  const { events } = await sandbox.trigger("purchase");
  await expect
    .poll(async () => (await entries.locator("strong").allInnerTexts()).slice(0, 2))
    .toEqual(["transaction.created", "transactionmessage.created"]);
  const [message] = events;
  await entries.nth(1).locator("summary").click();
  expect(JSON.parse(await entries.nth(1).locator("pre").innerText())).toEqual(message?.body);
});
