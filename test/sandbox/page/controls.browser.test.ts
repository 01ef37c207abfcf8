import { expect } from "vitest";
import { verbInfo } from "../../../generated/control-operations.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { serve } from "../../support/local-server.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();
const open = () => openSandbox(newPage);

/** A receiver whose response status can be changed. */
async function receiver() {
  const state = { status: 200, received: 0, url: "" };
  const origin = await serve((request, response) => {
    request.resume();
    state.received += 1;
    response.writeHead(state.status).end();
  });
  state.url = `${origin}/hook`;
  return state;
}

browserTest("has a button and a description for every verb", async () => {
  const { page } = await open();
  for (const [name, { summary }] of Object.entries(verbInfo)) {
    const button = page.getByRole("button", { name, exact: true });
    expect(await button.getAttribute("aria-describedby")).toBe(`about-${name}`);
    expect(await page.locator(`#about-${name}`).innerText()).toBe(summary);
  }
});

browserTest("a verb's button shows the result and the events sent", async () => {
  const { page, press, outcome, watched } = await open();
  await press("open-subaccount");
  await outcome.getByText("subaccountId").waitFor();
  await press("enroll");
  await outcome.getByText("subscriptionId").waitFor();
  expect(await outcome.innerText()).toContain("cardsubscription.created");
  expect(await outcome.getAttribute("role")).toBe("status");
  await page.getByRole("button", { name: "Dismiss" }).click();
  expect(await outcome.innerText()).toBe("");
  expectNoErrors(watched);
});

browserTest("a verb takes each field's value by its type", async () => {
  const { sandbox, page, press, section } = await open();
  await sandbox.trigger("enroll");
  await sandbox.trigger("sca-pass");
  await page.getByText("Fields of purchase").click();
  const form = page.locator("form.verb").filter({ hasText: "Fields of purchase" });
  await form.getByLabel("amount", { exact: true }).fill("19.99");
  await form.getByLabel("currency", { exact: true }).fill("USD");
  await form.getByRole("group", { name: "merchant" }).getByLabel("descriptor").fill("PIER 7");
  await form.getByLabel("result").selectOption("DECLINED");
  await press("purchase");
  const first = section("Transactions").getByRole("listitem").first();
  await first.getByText("PIER 7").waitFor();
  await first.getByText("19.99 USD").first().waitFor();
  await first.getByText("declined", { exact: true }).waitFor();
});

browserTest("accepts lists and JSON values, and reports invalid JSON", async () => {
  const { sandbox, page, press, outcome } = await open();
  await page.getByText("Fields of link-start").click();
  const form = page.locator("form.verb").filter({ hasText: "Fields of link-start" });
  await form.getByLabel("accounts").fill("[{");
  await press("link-start");
  await outcome.getByText("accounts takes JSON").waitFor();
  await form.getByLabel("accounts").fill('[{"name": "Ledger", "mask": "4711"}]');
  await press("link-start");
  await outcome.getByText("bankLinkId").waitFor();
  const [link] = await sandbox.resources("bank-links");
  expect(link?.hidden).toMatchObject({ accounts: [{ name: "Ledger", mask: "4711" }] });
});

browserTest("passes nullable text unchanged, and null as null", async () => {
  const { sandbox, page, press, outcome } = await open();
  await sandbox.trigger("link-complete");
  await page.getByText("Fields of consent-expire").click();
  const form = page.locator("form.verb").filter({ hasText: "Fields of consent-expire" });
  const expiresAt = async () => {
    await press("consent-expire");
    await outcome.getByText("consent-expire").waitFor();
    expect(await outcome.innerText()).toContain("bankAccountId");
    const [last] = (await sandbox.events({ name: "bankaccount.state_changed" })).slice(-1);
    await page.getByRole("button", { name: "Dismiss" }).click();
    return JSON.stringify(last?.body);
  };
  await form.getByLabel("expiresAt").fill("2026-03-01T00:00:00.000Z");
  expect(await expiresAt()).toContain("2026-03-01T00:00:00.000Z");
  await sandbox.trigger("recover");
  await form.getByLabel("expiresAt").fill("null");
  expect(await expiresAt()).not.toContain("2026-");
});

browserTest("shows the sandbox's own refusal message", async () => {
  const { page, press, outcome, watched } = await open();
  await page.getByText("Fields of purchase").click();
  const form = page.locator("form.verb").filter({ hasText: "Fields of purchase" });
  await form.getByLabel("amount", { exact: true }).fill("a lot");
  await press("purchase");
  await outcome.getByText("purchase was refused").waitFor();
  expect(await outcome.innerText()).toContain("amount: expected number, received string");
  await press("recover");
  await outcome.getByText("recover was refused").waitFor();
  expectNoErrors(watched);
});

browserTest("changes the clock by buttons and by input", async () => {
  const { sandbox, page, press, outcome, watched } = await open();
  const now = page.locator("#now");
  expect(await now.innerText()).toBe("2026-01-05 09:00:00 UTC");
  await press("Advance +1 h");
  await expect.poll(() => now.innerText()).toBe("2026-01-05 10:00:00 UTC");
  await press("Advance +3 d");
  await expect.poll(() => now.innerText()).toBe("2026-01-08 10:00:00 UTC");
  await page.getByLabel("Advance by").fill("1d12h");
  await press("Advance");
  await expect.poll(() => now.innerText()).toBe("2026-01-09 22:00:00 UTC");
  await page.getByLabel("Advance by").fill("a while");
  await press("Advance");
  await outcome.getByText("Advance was refused").waitFor();
  await page.getByLabel("Mode").selectOption("real");
  await press("Set");
  await outcome.getByText("the clock is real").waitFor();
  expect((await sandbox.readClock()).mode).toBe("real");
  expectNoErrors(watched);
});

browserTest("shows clock changes made elsewhere", async () => {
  const { sandbox, page } = await open();
  await sandbox.advance("2d");
  await expect.poll(() => page.locator("#now").innerText()).toBe("2026-01-07 09:00:00 UTC");
});

browserTest("adds an endpoint, shows attempts, replays, and removes it", async () => {
  const { sandbox, page, press, section, outcome, watched } = await open();
  const hook = await receiver();
  hook.status = 503;
  await page.getByLabel("Address").fill(hook.url);
  await page.getByRole("textbox", { name: "Events" }).fill("cardsubscription.created");
  await press("Add");
  await section("Endpoints").getByText(hook.url).waitFor();
  await sandbox.trigger("enroll");
  await sandbox.trigger("sca-pass");
  await sandbox.settle();
  const deliveries = section("Deliveries").getByRole("list").first().locator("> li");
  await deliveries.first().getByText("status 503").waitFor();
  expect(await deliveries.count()).toBe(1);
  await deliveries.first().getByText("waiting").waitFor();
  hook.status = 200;
  await press("Advance +1 h");
  await deliveries.first().getByText("delivered").waitFor();
  expect(await deliveries.first().getByRole("list").getByRole("listitem").count()).toBe(2);
  const replay = deliveries
    .first()
    .getByRole("button", { name: "Replay cardsubscription.created" });
  await replay.focus();
  await page.keyboard.press("Enter");
  await outcome.getByText("1 delivery is under way").waitFor();
  await expect.poll(() => deliveries.first().locator(".attempts li").count()).toBe(3);
  // The item was replaced and the focus is preserved.
  expect(await replay.evaluate((button) => button === document.activeElement)).toBe(true);
  await press("Replay all");
  await expect.poll(() => deliveries.first().locator(".attempts li").count()).toBe(4);
  expect(hook.received).toBe(4);
  await press(`Remove ${hook.url}`);
  await section("Endpoints").getByText("Events are logged but not delivered").waitFor();
  expectNoErrors(watched);
});

browserTest("reports an invalid endpoint", async () => {
  const { page, press, outcome } = await open();
  await page.getByLabel("Address").fill("ftp://nowhere");
  await press("Add");
  await outcome.getByText("Add was refused").waitFor();
});

browserTest("resets to another world and shows only its log", async () => {
  const { sandbox, page, press, section, outcome, watched } = await open();
  await sandbox.trigger("enroll");
  await section("Events").getByText("cardsubscription.created").waitFor();
  await page.getByText("Reset the sandbox").click();
  await page.getByRole("combobox", { name: "Initial data" }).selectOption("empty");
  await page.getByLabel("Seed").fill("7");
  await press("Reset");
  await outcome.getByText("reset to the initial data").waitFor();
  await section("Subscriptions").getByText("None yet. The action “enroll”").waitFor();
  await section("Events").getByText("None yet.").waitFor();
  await page.getByText("Accounts and credentials").click();
  const { accounts } = await sandbox.status();
  await page.getByText(accounts[0]?.clientSecret ?? "").waitFor();
  await sandbox.trigger("enroll");
  await expect.poll(() => section("Events").getByRole("listitem").count()).toBe(1);
  expectNoErrors(watched);
});
