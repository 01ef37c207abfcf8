import type { Locator } from "playwright-core";
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
  const { sandbox, row, detail, watched } = await open();
  const { result } = await sandbox.trigger("purchase", {
    amount: 12.5,
    merchant: { descriptor: "CORNER CAFE 12" },
  });
  const { transactionId } = result;
  const first = row("CORNER CAFE 12");
  await first.getByText("PENDING").waitFor();
  await first.click();
  await expect.poll(() => detail.innerText()).toMatch(/hold\s12\.50 EUR\s+settled\s0\.00 EUR/);
  await sandbox.trigger("bank-post", { transactionId });
  await first.getByText("SETTLED").waitFor();
  await expect.poll(() => detail.innerText()).toMatch(/hold\s0\.00 EUR\s+settled\s12\.50 EUR/);
  expectNoErrors(watched);
});

browserTest("after a partial clearing, a verb's button uses its open form", async () => {
  const { sandbox, row, detail, outcome } = await open();
  const merchant = { descriptor: "CORNER CAFE 12" };
  await sandbox.trigger("purchase", { amount: 20, merchant });
  await row("CORNER CAFE 12").click();
  await detail.getByRole("button", { name: "Options of clear-partial" }).click();
  await detail
    .getByRole("form", { name: "Parameters of clear-partial" })
    .getByLabel("amount")
    .fill("5");
  await detail.getByRole("button", { name: "clear-partial", exact: true }).click();
  await outcome.getByText("It sent 2 events").waitFor();
  // The settled amount, not what is still on hold.
  await row("CORNER CAFE 12").getByText("5.00 EUR", { exact: true }).waitFor();
});

browserTest("TXN-08: a superseded message is struck through and marked as deleted", async () => {
  const { sandbox, row, detail, watched } = await open();
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("bank-post", { transactionId });
  await sandbox.trigger("clear", { transactionId });
  await row("SETTLED").click();
  const messages = detail.getByRole("list", { name: "Messages" });
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
  const { sandbox, row, detail } = await open();
  await sandbox.trigger("switch-projection", { on: false });
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("bank-post", { transactionId });
  const { messageId } = (await sandbox.trigger("clear", { transactionId })).result;
  await row("SETTLED").click();
  const messages = detail.getByRole("list", { name: "Messages" });
  await messages.getByText(messageId).waitFor();
  expect(await messages.getByRole("listitem").count()).toBe(3);
  expect(await messages.getByRole("deletion").count()).toBe(1);
  const shown = messages.getByText(messageId);
  expect(await shown.evaluate((id) => id.scrollWidth > id.clientWidth)).toBe(false);
});

browserTest("shows a match with its confidence and reasons, until it is retracted", async () => {
  const { sandbox, resources, row, tab, detail } = await open();
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  const { bankTransactionId } = (await sandbox.trigger("bank-post", { transactionId })).result;
  await tab("Matches");
  await row("HIGH").click();
  const reasons = detail.getByRole("list", { name: "Reasons" }).getByRole("listitem");
  const types = (await reasons.allInnerTexts()).map((text) => text.split("\n")[0]);
  expect(types).toEqual(["Amount", "Date", "Merchant"]);
  await sandbox.trigger("provider-remove", { bankTransactionId: bankTransactionId ?? "" });
  await resources.getByText("Matches of purchases and bank transactions appear here.").waitFor();
  await tab("Postings");
  await row("deleted").waitFor();
  expect(await resources.locator(".rows").getByRole("deletion").count()).toBe(1);
});

browserTest("shows the states of enrollments and bank accounts", async () => {
  const { sandbox, row, tab } = await open();
  await tab("Cards");
  await row("cardholder-single").getByText("Travel Credit").waitFor();
  await sandbox.trigger("enroll");
  await row("reqSCA").waitFor();
  await sandbox.trigger("sca-pass");
  await row("active").waitFor();
  await sandbox.trigger("feed-submit");
  await tab("Feeds");
  await row("submitted").waitFor();
  await sandbox.trigger("feed-reject");
  await row("failed").waitFor();
  await sandbox.trigger("disconnect");
  await tab("Accounts");
  await row("disconnected").waitFor();
});

browserTest("shows the newest rows first, of whichever account", async () => {
  const { resources, timeline, tab } = await openSandbox(newPage, { world: "small" });
  const times = async (rows: Locator) => {
    const texts = await rows.locator(".head").allInnerTexts();
    return texts.map((text) => /\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?/.exec(text)?.[0] ?? "");
  };
  for (const title of ["Transactions", "Postings", "Matches"]) {
    await tab(title);
    await expect.poll(() => times(resources)).not.toEqual([]);
    const shown = await times(resources);
    expect([title, shown]).toEqual([title, shown.toSorted().reverse()]);
  }
  const events = await times(timeline);
  expect(events.length).toBeGreaterThan(100);
  expect(events).toEqual(events.toSorted().reverse());
});

browserTest("names the account of resources not owned by the first account", async () => {
  const { sandbox, resources, row, tab } = await open();
  const { accountId } = sandbox.accounts[1];
  await tab("Cards");
  await row("cardholder-single").waitFor();
  expect(await resources.locator(".rows").getByText("account 2").count()).toBe(0);
  await sandbox.trigger("enroll", { accountId });
  await row("account 2").waitFor();
});

browserTest.each([
  ["Transactions", "PENDING", "transactions", "PENDING"],
  ["Cards", "cardholder-single", "card-subscriptions", "active"],
  ["Links", "completed", "bank-links", "completed"],
  ["Accounts", "Everyday", "bank-accounts", "active"],
  ["Postings", "bank-only", "bank-transactions", "synced"],
  ["Matches", "HIGH", "transaction-matches", "announced"],
  ["Feeds", "submitted", "network-bulk-feeds", "submitted"],
])("%s: an open row marks its state in the state diagram", async (title, text, _kind, state) => {
  const { sandbox, row, tab, detail } = await open();
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("bank-post", { transactionId });
  await sandbox.trigger("purchase");
  await sandbox.trigger("bank-post", { amount: 7, description: "A FEE" });
  await sandbox.trigger("feed-submit");
  await tab(title);
  await row(text).click();
  const diagram = detail.getByRole("img", { name: `The current state is ${state}.` });
  await diagram.waitFor();
  expect(await detail.locator(".state.current").allTextContents()).toEqual([state]);
  expect(await detail.locator("figcaption").innerText()).toBe(`Current state: ${state}`);
});

browserTest("the marked state follows the resource", async () => {
  const { sandbox, row, tab, detail } = await open();
  await tab("Accounts");
  await row("Everyday").click();
  const caption = detail.locator("figcaption");
  await expect.poll(() => caption.innerText()).toBe("Current state: active");
  const [account] = await sandbox.resources("bank-accounts");
  await sandbox.trigger("consent-expire", { bankAccountId: account?.id ?? "" });
  await expect.poll(() => caption.innerText()).toBe("Current state: auth_required");
  expect(await detail.locator(".state.current").allTextContents()).toEqual(["auth_required"]);
});
