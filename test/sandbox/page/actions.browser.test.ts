import { expect } from "vitest";
import { verbs } from "../../../src/world/verbs/index.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();
const open = (options = {}) => openSandbox(newPage, options);

const TABS = ["Transactions", "Cards", "Links", "Accounts", "Postings", "Matches", "Feeds"];

browserTest("every verb has a button, with its summary, or after them with a refusal", async () => {
  const { resources, tab, detail, watched } = await open({ world: "small" });
  const found = new Set<string>();
  for (const title of TABS) {
    await tab(title);
    await resources.locator(".rows .head").first().click();
    await detail.locator(".verb").first().waitFor();
    const refused = await detail
      .locator(".verb")
      .evaluateAll((all) => all.map((verb) => Number((verb as HTMLButtonElement).disabled)));
    expect([title, refused]).toEqual([title, refused.toSorted()]);
    for (const verb of await resources.locator(".verb").all()) {
      const name = await verb.innerText();
      found.add(name);
      const about = await verb.getAttribute("aria-describedby");
      const text = await resources.locator(`#${about}`).textContent();
      const { summary } = verbs[name as keyof typeof verbs];
      const isSummary = text?.toLowerCase() === `${summary}.`.toLowerCase();
      expect([name, await verb.isDisabled()]).toEqual([name, !isSummary]);
    }
  }
  expect([...found].sort()).toEqual(Object.keys(verbs).sort());
  expectNoErrors(watched);
});

browserTest("an action on a row applies to that row's resource", async () => {
  const { sandbox, row, tab, detail, outcome, watched } = await open({ world: "small" });
  await tab("Accounts");
  await row("Savings").click();
  await detail.getByRole("button", { name: "disconnect", exact: true }).click();
  await outcome.getByText("It sent 1 event: bankaccount.state_changed.").waitFor();
  await row("Savings").getByText("disconnected").waitFor();
  const accounts = await sandbox.resources("bank-accounts");
  const states = accounts.map(({ hidden }) => hidden as { name: string; state: string });
  expect(states.filter(({ state }) => state === "disconnected")).toMatchObject([
    { name: "Savings" },
  ]);
  expectNoErrors(watched);
});

browserTest("an action on a row of the second account works", async () => {
  const { row, detail, outcome } = await open({ world: "small" });
  await row("account 2").click();
  await detail.getByRole("button", { name: "bank-post", exact: true }).click();
  await outcome.getByText("It sent 4 events").waitFor();
  await row("account 2").getByText("SETTLED").waitFor();
});

browserTest("a verb that does not apply is disabled, with the sandbox's reason", async () => {
  const { sandbox, row, tab, detail } = await open({ world: "small" });
  await tab("Cards");
  await row("reqSCA").click();
  const deactivate = detail.getByRole("listitem").filter({ hasText: "deactivate" });
  await deactivate
    .getByText("Deactivate applies to active, but this card subscription is reqSCA")
    .waitFor();
  expect(await deactivate.getByRole("button", { name: "deactivate" }).isDisabled()).toBe(true);
  await deactivate.getByRole("button", { name: "Run sca-pass" }).click();
  await row("••").waitFor();
  await expect
    .poll(() => deactivate.getByRole("button", { name: "deactivate" }).isDisabled())
    .toBe(false);
  const waiting = await sandbox.resources("card-subscriptions");
  expect(waiting.filter(({ body }) => (body as { state: string }).state === "reqSCA")).toEqual([]);
});

browserTest("an empty list says what fills it, and its remedies lead there", async () => {
  const { resources, row, outcome } = await open();
  await resources.getByText("Purchases and bank-only movements appear here.").waitFor();
  const creators = resources.locator("#creators");
  const purchase = creators.getByRole("button", { name: "purchase", exact: true });
  expect(await purchase.isDisabled()).toBe(true);
  await creators.getByText("enroll a card first").waitFor();
  await creators.getByRole("button", { name: "Run enroll" }).click();
  await creators.getByRole("button", { name: "Run sca-pass" }).click();
  await expect.poll(() => purchase.isDisabled()).toBe(false);
  await purchase.click();
  await outcome.getByText("It sent 2 events").waitFor();
  await row("PENDING").waitFor();
});

browserTest("the outcome shows the events in the timeline, and can be dismissed", async () => {
  const { page, resources, timeline, tab, outcome } = await open();
  await tab("Cards");
  await resources.getByRole("button", { name: "enroll", exact: true }).click();
  await outcome.getByRole("button", { name: "Show" }).click();
  await timeline.getByRole("region", { name: "Payload" }).waitFor();
  expect(await outcome.getAttribute("role")).toBe("status");
  await page.getByRole("button", { name: "Dismiss" }).click();
  expect(await outcome.innerText()).toBe("");
});

browserTest("a form takes each parameter by its type", async () => {
  const { resources, row, watched } = await open({ world: "small" });
  const creators = resources.locator("#creators");
  await creators.getByRole("button", { name: "Options of purchase" }).click();
  const form = creators.getByRole("form", { name: "Parameters of purchase" });
  await form.getByLabel("amount", { exact: true }).fill("19.99");
  await form.getByLabel("currency", { exact: true }).fill("EUR");
  await form.getByRole("group", { name: "merchant" }).getByLabel("descriptor").fill("PIER 7");
  await form.getByLabel("result").selectOption("DECLINED");
  await form.getByRole("button", { name: "Run purchase" }).click();
  await row("PIER 7").getByText("declined").waitFor();
  expect(await form.count()).toBe(0);
  expectNoErrors(watched);
});

browserTest("an id is a picker of the resources with which the verb is possible", async () => {
  const { sandbox, resources, row } = await open({ world: "small" });
  const creators = resources.locator("#creators");
  await creators.getByRole("button", { name: "Options of purchase" }).click();
  const form = creators.getByRole("form", { name: "Parameters of purchase" });
  const picker = form.getByLabel("cardId");
  const options = picker.locator("option");
  await expect.poll(() => options.count()).toBeGreaterThan(1);
  const [none, ...labels] = await options.allInnerTexts();
  expect(none).toBe("default");
  // Neither the bank-feed card, nor the deactivated one, nor the one that waits.
  expect(labels).toEqual(
    labels.filter((label) => /^••\d{4}, active( \(account 2\))?$/.test(label)),
  );
  const cards = await sandbox.resources("cards");
  const usable = await sandbox.dryRun({
    calls: cards.map(({ id }) => ({ verb: "purchase", params: { cardId: id } })),
  });
  expect(labels).toHaveLength(usable.filter(({ refusal }) => refusal === null).length);
  expect(await form.getByLabel("accountId").locator("option").allInnerTexts()).toEqual([
    ...["default", "account 1", "account 2"],
  ]);
  await picker.selectOption("••2210, active");
  await form.getByRole("button", { name: "Run purchase" }).click();
  await row("card ••2210").waitFor();
});

browserTest("no form has a text field for an id", async () => {
  const { page, resources, tab, detail } = await open({ world: "small" });
  for (const title of TABS) {
    await tab(title);
    // A dry run hides the options of a verb that would be refused.
    const tried = page.waitForResponse((response) => response.url().endsWith("/dry-runs"));
    await resources.locator(".rows .head").first().click();
    await detail.locator(".verb").first().waitFor();
    await tried;
    // All at once: a later dry run may hide one before it is clicked.
    await resources.locator(".options:visible").evaluateAll((all) => {
      for (const one of all) (one as HTMLElement).click();
    });
    const labels = resources.locator("label").filter({ hasText: /Id( \(required\))?$/ });
    const fields = await labels.evaluateAll((all) =>
      all.map((one) => [one.textContent, (one as HTMLLabelElement).control?.tagName]),
    );
    expect(fields.length).toBeGreaterThan(0);
    // The cardholder's own reference is free text.
    const ids = fields.filter(([name]) => name !== "customerReferenceId");
    expect(ids).toEqual(ids.map(([name]) => [name, "SELECT"]));
  }
});

browserTest("a list of objects has a group of fields for each", async () => {
  const { sandbox, resources, tab, outcome } = await open();
  await tab("Links");
  await resources.getByRole("button", { name: "Options of link-start" }).click();
  const form = resources.getByRole("form", { name: "Parameters of link-start" });
  const add = form.getByRole("button", { name: "Add to accounts" });
  await add.click();
  await form.getByLabel("name").fill("Ledger");
  await form.getByLabel("mask").fill("4711");
  await add.click();
  await form.getByRole("button", { name: "Remove this entry of accounts" }).last().click();
  await form.getByRole("button", { name: "Run link-start" }).click();
  await outcome.getByText("It sent no events.").waitFor();
  const [link] = await sandbox.resources("bank-links");
  expect(link?.hidden).toMatchObject({ accounts: [{ name: "Ledger", mask: "4711" }] });
  expect(Object(link?.hidden).accounts).toHaveLength(1);
});

browserTest("passes nullable text unchanged, and null as null", async () => {
  const { sandbox, resources, row, tab, outcome } = await open();
  await sandbox.trigger("link-complete");
  await tab("Accounts");
  await row("Everyday").click();
  const expiresAt = async (text: string) => {
    await resources.getByRole("button", { name: "Options of consent-expire" }).click();
    const form = resources.getByRole("form", { name: "Parameters of consent-expire" });
    await form.getByLabel("expiresAt").fill(text);
    await form.getByRole("button", { name: "Run consent-expire" }).click();
    await outcome.getByText("bankaccount.state_changed").waitFor();
    const [last] = (await sandbox.events({ name: "bankaccount.state_changed" })).slice(-1);
    return Object(last?.body).expiresAt as string | null;
  };
  const time = "2026-03-01T00:00:00.000Z";
  expect(await expiresAt(time)).toBe(time);
  await resources.getByRole("button", { name: "recover", exact: true }).click();
  await row("Everyday").getByText("active").waitFor();
  expect(await expiresAt("null")).toBe(null);
});

browserTest("a required parameter is asked for before the verb runs", async () => {
  const { resources, outcome } = await open();
  await resources.getByRole("button", { name: "switch-projection", exact: true }).click();
  const form = resources.getByRole("form", { name: "Parameters of switch-projection" });
  await form.getByLabel("on (required)").selectOption("false");
  await form.getByRole("button", { name: "Run switch-projection" }).click();
  await outcome.getByText("It sent no events.").waitFor();
});

browserTest("shows the sandbox's own refusal message, and keeps the form", async () => {
  const { resources, outcome, watched } = await open({ world: "small" });
  await resources.getByRole("button", { name: "Options of purchase" }).click();
  const form = resources.getByRole("form", { name: "Parameters of purchase" });
  await form.getByLabel("amount", { exact: true }).fill("a lot");
  await form.getByRole("button", { name: "Run purchase" }).click();
  await outcome.getByText("purchase was refused").waitFor();
  expect(await outcome.innerText()).toContain("amount: expected number, received string");
  expect(await form.getByLabel("amount", { exact: true }).inputValue()).toBe("a lot");
  expectNoErrors(watched);
});

browserTest("changes elsewhere keep an open form, its input and its focus", async () => {
  const { sandbox, row, tab, detail } = await open({ world: "small" });
  await tab("Accounts");
  await row("Savings").click();
  await detail.getByRole("button", { name: "Options of consent-expire" }).click();
  const reason = detail.getByLabel("reason");
  await reason.fill("half typ");
  const verbs = detail.locator(".verb");
  const before = await verbs.allInnerTexts();
  const [account] = (await sandbox.resources("bank-accounts")).filter(
    ({ hidden }) => (hidden as { name: string }).name === "Savings",
  );
  await sandbox.trigger("disconnect", { bankAccountId: account?.id ?? "" });
  await row("Savings").getByText("disconnected").waitFor();
  // The action moves behind those that are possible now.
  await expect.poll(() => verbs.allInnerTexts()).not.toEqual(before);
  expect(await reason.inputValue()).toBe("half typ");
  expect(await reason.evaluate((input) => input === document.activeElement)).toBe(true);
});
