import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { eventNames } from "../../../generated/events.ts";
import { readDocument } from "../../document.ts";
import { browserTest, expectNoErrors, useBrowser } from "../../support/browser.ts";
import { serve } from "../../support/local-server.ts";
import { openSandbox } from "./fixture.ts";

const newPage = useBrowser();

/** An empty world with an enrolled card that is linked to a bank account. */
async function open(view = {}) {
  const fixture = await openSandbox(newPage, {}, view);
  const { sandbox, timeline } = fixture;
  await sandbox.trigger("link-complete");
  await sandbox.trigger("upgrade");
  await sandbox.trigger("sca-pass");
  await expect.poll(() => timeline.locator(".head").count()).toBe(4);
  const opened = timeline.locator(".detail");
  /** Opens the latest event of that name. */
  const openEvent = async (name: string) => {
    const head = timeline
      .locator(".head")
      .filter({ has: fixture.page.getByText(name, { exact: true }) });
    await head.first().click();
    await opened.waitFor();
  };
  return { ...fixture, opened, openEvent };
}

browserTest("a row shows the event, its time, transaction, card and amount, live", async () => {
  const { sandbox, timeline, watched } = await open();
  const { events } = await sandbox.trigger("purchase", {
    amount: 12.5,
    currency: "EUR",
    merchant: { descriptor: "CORNER CAFE 12" },
  });
  const rows = timeline.locator(".head");
  await expect.poll(() => rows.count()).toBe(6);
  const [card] = await sandbox.resources("cards");
  const { last4 } = Object(card?.hidden);
  const about = `2026-01-05 09:00:00 · CORNER CAFE 12 · card ••${last4}`;
  // The name of the card comes with the next refresh.
  await expect
    .poll(async () => {
      const shown = (await rows.allInnerTexts()).slice(0, 2);
      return shown.map((text) => text.replace(/\s+/g, " "));
    })
    .toEqual([...events].reverse().map(({ name }) => `${name} 12.50 EUR ${about}`));
  expectNoErrors(watched);
});

browserTest("an open row shows the payload and the requirements of the contract", async () => {
  const { sandbox, opened, openEvent } = await open();
  const { events } = await sandbox.trigger("purchase");
  const { transactionId } = (await sandbox.trigger("bank-post")).result;
  await sandbox.trigger("enrich", { transactionId: transactionId ?? "" });
  const { webhooks } = readDocument() as never as {
    webhooks: Record<string, { post: { "x-requirements": string[] } }>;
  };
  await openEvent("transaction.created");
  const payload = opened.getByRole("region", { name: "Payload" });
  expect(JSON.parse(await payload.innerText())).toEqual(events[1]?.body);
  for (const name of ["transaction.created", "enrichment.merchant.created"] as const) {
    if (name !== "transaction.created") await openEvent(name);
    const requirements = opened.getByRole("list", { name: "Requirements" }).getByRole("listitem");
    expect(await requirements.allInnerTexts()).toEqual(webhooks[name]?.post["x-requirements"]);
  }
});

browserTest("for each event, the curl command fetches the resource again", async () => {
  const { sandbox, page, opened, openEvent } = await open({
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("enrich", { transactionId });
  const { bankTransactionId } = (await sandbox.trigger("bank-post", { transactionId })).result;
  await sandbox.trigger("consent-expire");
  await sandbox.trigger("feed-submit");
  await sandbox.trigger("feed-accept");
  // Two events whose resources are gone.
  const gone = ["banktransaction.deleted", "transaction.match.deleted"];
  for (const name of eventNames.filter((one) => !gone.includes(one))) {
    await openEvent(name);
    const curl = opened.getByRole("region", { name: "curl" });
    await expect.poll(() => curl.innerText()).toMatch(/^curl /);
    const command = await curl.innerText();
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    const response = JSON.parse(stdout);
    expect([name, Object.keys(response)]).toEqual([name, expect.arrayContaining(["_links"])]);
    await opened.getByRole("button", { name: "Copy" }).click();
    await opened.getByText("Copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(command);
  }
  await sandbox.trigger("provider-remove", { bankTransactionId: bankTransactionId ?? "" });
  await openEvent("banktransaction.deleted");
  const path = `/bank-transactions/.+/${bankTransactionId}$`;
  const curl = opened.getByRole("region", { name: "curl" });
  await expect.poll(() => curl.innerText()).toMatch(new RegExp(path));
});

browserTest("an open row shows each attempt of a delivery, and replays it", async () => {
  const { sandbox, page, opened, openEvent, outcome, watched } = await open();
  const state = { status: 503, received: 0 };
  const origin = await serve((request, response) => {
    request.resume();
    state.received += 1;
    response.writeHead(state.status).end();
  });
  await openEvent("banklink.completed");
  await opened.getByText("None. Add an endpoint under Controls").waitFor();
  await sandbox.addEndpoint({ url: `${origin}/hook`, events: ["transaction.created"] });
  await sandbox.trigger("purchase");
  await sandbox.settle();
  await openEvent("transaction.created");
  await opened.getByText(`${origin}/hook`).waitFor();
  await opened.getByText("waiting").waitFor();
  const attempts = opened.getByRole("list", { name: "Attempts" }).getByRole("listitem");
  expect(await attempts.allInnerTexts()).toEqual([expect.stringContaining("status 503")]);
  state.status = 200;
  await page.getByRole("button", { name: "Advance +1 h" }).click();
  await opened.getByText("delivered").waitFor();
  expect(await attempts.count()).toBe(2);
  const replay = opened.getByRole("button", { name: "Replay transaction.created" });
  await replay.focus();
  await page.keyboard.press("Enter");
  await outcome.getByText("The delivery is sent again.").waitFor();
  await expect.poll(() => attempts.count()).toBe(3);
  expect(await replay.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(state.received).toBe(3);
  expectNoErrors(watched);
});

browserTest("filters the events by kind of resource, and by one resource", async () => {
  const { sandbox, timeline, row, tab, detail } = await open();
  const { transactionId } = (await sandbox.trigger("purchase")).result;
  await sandbox.trigger("bank-post", { transactionId });
  await sandbox.trigger("purchase", { merchant: { descriptor: "ANOTHER" } });
  const names = timeline.locator(".head .name");
  await expect.poll(() => names.count()).toBe(12);
  const filter = timeline.getByRole("combobox", { name: "Show the events of" });
  await filter.selectOption("Transaction matches");
  await expect.poll(() => names.allInnerTexts()).toEqual(["transaction.match.created"]);
  await filter.selectOption("Network bulk feeds");
  await timeline.getByText("No event among the latest 200 is about this").waitFor();
  await tab("Transactions");
  await row("PENDING").click();
  await detail.getByRole("button", { name: "Show its events" }).click();
  await expect
    .poll(() => names.allInnerTexts())
    .toEqual(["transaction.created", "transactionmessage.created"]);
  await filter.selectOption("All resources");
  await expect.poll(() => names.count()).toBe(12);
});

browserTest("an empty timeline says what fills it", async () => {
  const { timeline } = await openSandbox(newPage);
  await timeline.getByText("Events appear here. Run the first step of a story").waitFor();
});
