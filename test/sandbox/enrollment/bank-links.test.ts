import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { completeBankLink } from "../../../src/world/enrollment/bank-links.ts";
import { EnrollmentSandbox, namesOf } from "./enrollment-sandbox.ts";

let sandbox: EnrollmentSandbox;

beforeEach(() => {
  sandbox = new EnrollmentSandbox();
});

const subscription = (id: string) => sandbox.get("card-subscriptions", id).body;

/** Completes a link like PATCH. */
const patch = (on: EnrollmentSandbox, bankLinkId: string) =>
  on.engine.commit((work) => completeBankLink(work, bankLinkId));

const CREDIT = { name: "Travel Credit", type: "Credit Card", mask: "4410" };
const CURRENT = { name: "Everyday Account", type: "depository/checking", mask: "5205" };

describe("a bank link", () => {
  test("begins as started and listed, without events or accounts", () => {
    const { bankLinkId, bankAccountIds, events } = sandbox.run("link-start");
    const { body, internal, listed, subaccountId } = sandbox.get("bank-links", bankLinkId);
    expect({ bankAccountIds, events, listed }).toEqual({
      ...{ bankAccountIds: [], events: [], listed: true },
    });
    expect(internal.state).toBe("started");
    expect(body).toEqual({
      id: bankLinkId,
      _links: {
        self: { href: `/bank-links/${bankLinkId}` },
        subaccount: { href: `/subaccounts/${subaccountId}` },
      },
    });
  });

  test("BLK-01: announces its accounts when the notification completes it", () => {
    const accounts = [{ ...CURRENT, name: "Rent Account" }, { mask: "0093" }];
    const { bankLinkId } = sandbox.run("link-start", { accounts });
    const { bankAccountIds, events } = sandbox.run("link-complete");
    expect(sandbox.get("bank-links", bankLinkId).internal.state).toBe("completed");
    expect(namesOf(events)).toEqual(["banklink.completed"]);
    expect(events[0]).toMatchObject({ resource: bankLinkId });
    const [first, second] = bankAccountIds;
    expect(events[0]?.body).toEqual({
      bankLinkId,
      bankAccounts: [
        { id: first, name: "Rent Account", mask: "5205", type: "depository", cardIds: [] },
        { id: second, name: "Current Account", mask: "0093", type: "depository", cardIds: [] },
      ],
    });
  });

  test("BLK-02: is completed by PATCH in either earlier state", () => {
    const started = sandbox.run("link-start").bankLinkId;
    patch(sandbox, started);
    const finished = sandbox.run("link-start").bankLinkId;
    sandbox.run("link-complete", { by: "polling" });
    patch(sandbox, finished);
    const sent = sandbox.sent("banklink.completed").map(({ bankLinkId }) => bankLinkId);
    expect(sent).toEqual([started, finished]);
  });

  test("BLK-02: is completed by polling 30 s after a lost notification", async () => {
    const { bankLinkId } = sandbox.run("link-start");
    const { bankAccountIds, events } = sandbox.run("link-complete", { by: "polling" });
    expect({ bankAccountIds, events }).toEqual({ bankAccountIds: [], events: [] });
    expect(sandbox.get("bank-links", bankLinkId).internal.state).toBe("finished");
    await sandbox.scheduler.advance(29_999);
    expect(sandbox.sent("banklink.completed")).toEqual([]);
    await sandbox.scheduler.advance(1);
    expect(sandbox.sent("banklink.completed")).toMatchObject([{ bankLinkId }]);
    expect(sandbox.get("bank-links", bankLinkId).internal.state).toBe("completed");
  });

  test("BLK-02: is not polled after its completion", () => {
    const { bankLinkId } = sandbox.run("link-start");
    sandbox.run("link-complete", { bankLinkId, by: "polling" });
    patch(sandbox, bankLinkId);
    expect(sandbox.scheduler.nextDueMs()).toBeUndefined();
    sandbox.run("link-complete", { bankLinkId, by: "polling" });
    expect(sandbox.scheduler.nextDueMs()).toBeUndefined();
  });

  test("BLK-02: is completed once by PATCH, notification and polling in any order", () => {
    const step = fc.oneof(
      fc.constantFrom("patch" as const, "notification" as const, "polling" as const),
      fc.integer({ min: 0, max: 40_000 }),
    );
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const on = new EnrollmentSandbox();
        const { bankLinkId } = on.run("link-start", { accounts: [CREDIT, CURRENT] });
        for (const one of steps) {
          if (one === "patch") patch(on, bankLinkId);
          else if (typeof one === "number") await on.scheduler.advance(one);
          else on.run("link-complete", { bankLinkId, by: one });
        }
        await on.scheduler.advance(60_000);
        const isTouched = steps.some((one) => typeof one !== "number");
        expect(on.sent("banklink.completed")).toHaveLength(isTouched ? 1 : 0);
        expect(on.engine.store.latest("bank-accounts")).toHaveLength(isTouched ? 2 : 0);
        expect(on.sent("cardsubscription.created")).toHaveLength(isTouched ? 1 : 0);
        expect(on.scheduler.nextDueMs()).toBeUndefined();
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test("is 404 for PATCH with an unknown id", () => {
    const unknown = "00000000-0000-4000-a000-000000000000";
    expect(() => patch(sandbox, unknown)).toThrow(`there is no bank link ${unknown}`);
  });
});

describe("the completion of a bank link", () => {
  test("BLK-03: mints an active bank-feed card for a credit account", () => {
    sandbox.run("link-start", { accounts: [CREDIT] });
    const { bankAccountIds, events } = sandbox.run("link-complete");
    const [bankAccountId = ""] = bankAccountIds;
    const [created] = sandbox.sent("cardsubscription.created");
    const { id: subscriptionId = "", cardId = "" } = created ?? {};
    expect(sandbox.sent("banklink.completed")[0]?.bankAccounts).toEqual([
      {
        ...{ id: bankAccountId, name: "Travel Credit", mask: "4410", type: "credit" },
        cardIds: [cardId],
        cards: [
          {
            id: cardId,
            subscriptionId,
            last4digits: "4410",
            network: "network_c",
            enrollmentType: "bank-feed",
          },
        ],
      },
    ]);
    expect(subscription(subscriptionId)).toMatchObject({
      enrollmentType: "bank-feed",
      state: "active",
      bankAccountId,
      networkBulkFeedId: null,
      _links: { bankAccount: { href: `/bank-accounts/${bankAccountId}` } },
    });
    expect(sandbox.get("cards", cardId).internal).toEqual({
      ...{ last4: "4410", network: "NETWORK_C", subscriptionId },
    });
    // BLK-05, SUB-10
    expect(namesOf(events)).toEqual(["banklink.completed", "cardsubscription.created"]);
    expect(events[1]?.body).toEqual(subscription(subscriptionId));
  });

  test("BLK-05: sends a cardsubscription.created for every minted card", () => {
    const accounts = [CREDIT, CURRENT, { ...CREDIT, mask: "4428", network: "NETWORK_A" }];
    sandbox.run("link-start", { accounts });
    sandbox.run("link-complete");
    const [completed] = sandbox.sent("banklink.completed");
    const minted = completed?.bankAccounts.flatMap(({ cards = [] }) => cards) ?? [];
    const created = sandbox.sent("cardsubscription.created");
    expect(created.map(({ id }) => id)).toEqual(minted.map((card) => card.subscriptionId));
    expect(minted.map(({ network }) => network)).toEqual(["network_c", "network_a"]);
  });

  test("BLK-04: links enrolled cards by last four digits and announces each", () => {
    const accounts = [CURRENT];
    const { subaccountId } = sandbox.run("open-subaccount");
    const [one, two] = ["NETWORK_A", "NETWORK_B"].map((network) =>
      sandbox.run("enroll", { cardNumber: "4000000000005205", network }),
    );
    sandbox.run("sca-pass");
    sandbox.run("enroll", { cardNumber: "4000000000001111" });
    const { bankLinkId } = sandbox.run("link-start", { accounts, subaccountId });
    const { bankAccountIds, events } = sandbox.run("link-complete", { bankLinkId });
    const [bankAccountId] = bankAccountIds;
    expect(namesOf(events)).toEqual([
      ...["banklink.completed", "cardsubscription.updated", "cardsubscription.updated"],
    ]);
    expect(events[0]?.body).toMatchObject({
      bankAccounts: [{ cardIds: [one?.cardId, two?.cardId] }],
    });
    // SUB-07: states and types do not change.
    expect(events.slice(1).map(({ body }) => body)).toMatchObject([
      { id: one?.subscriptionId, bankAccountId, state: "reqSCA" },
      { id: two?.subscriptionId, bankAccountId, state: "active" },
    ]);
  });

  test("BLK-03: mints no card if an enrolled card has the credit account's mask", () => {
    const { cardId } = sandbox.run("enroll", { cardNumber: "4000000000004410" });
    sandbox.run("link-start", { accounts: [CREDIT] });
    sandbox.run("link-complete");
    const [account] = sandbox.sent("banklink.completed")[0]?.bankAccounts ?? [];
    expect(account).toMatchObject({ type: "credit", cardIds: [cardId] });
    expect(account).not.toHaveProperty("cards");
    expect(sandbox.sent("cardsubscription.created")).toHaveLength(1);
  });

  test("BLK-04: lists a linked card, and links no deactivated, foreign or linked one", () => {
    const enroll = () => sandbox.run("enroll", { cardNumber: "4000000000005205" });
    enroll();
    sandbox.run("sca-pass");
    sandbox.run("deactivate");
    sandbox.run("link-start", { accounts: [CURRENT] });
    sandbox.run("link-complete");
    const onAccount = enroll();
    const before = subscription(onAccount.subscriptionId);
    expect(before.bankAccountId).toBeDefined();
    sandbox.run("link-start", { accounts: [CURRENT, { ...CREDIT, mask: "5205" }] });
    sandbox.run("link-complete");
    sandbox.run("open-subaccount");
    sandbox.run("link-start", { accounts: [CURRENT] });
    sandbox.run("link-complete");
    const accounts = sandbox.sent("banklink.completed").flatMap((event) => event.bankAccounts);
    const listed = [onAccount.cardId];
    expect(accounts.map(({ cardIds }) => cardIds)).toEqual([[], listed, listed, []]);
    expect(accounts.some((account) => "cards" in account)).toBe(false);
    expect(subscription(onAccount.subscriptionId)).toEqual(before);
    expect(sandbox.sent("cardsubscription.updated")).toHaveLength(2);
  });

  test("links a card to the first of two accounts with its last four digits", () => {
    const { cardId } = sandbox.run("enroll", { cardNumber: "4000000000005205" });
    sandbox.run("link-start", { accounts: [CURRENT, CURRENT] });
    sandbox.run("link-complete");
    const accounts = sandbox.sent("banklink.completed")[0]?.bankAccounts ?? [];
    expect(accounts.map(({ cardIds }) => cardIds)).toEqual([[cardId], [cardId]]);
    const [updated, ...others] = sandbox.sent("cardsubscription.updated");
    expect([updated?.bankAccountId, others]).toEqual([accounts[0]?.id, []]);
  });

  test("shows only ids and links of cards, bank accounts and subaccounts", () => {
    const { bankAccountIds } = sandbox.run("link-complete");
    const [bankAccountId = ""] = bankAccountIds;
    const { body, subaccountId } = sandbox.get("bank-accounts", bankAccountId);
    const subaccount = { href: `/subaccounts/${subaccountId}` };
    expect(body).toEqual({
      id: bankAccountId,
      _links: { self: { href: `/bank-accounts/${bankAccountId}` }, subaccount },
    });
    const [card] = sandbox.engine.store.latest("cards");
    expect(card?.body).toEqual({
      id: card?.id,
      _links: { self: { href: `/cards/${card?.id}` }, subaccount },
    });
    expect(sandbox.get("subaccounts", subaccountId).body).toEqual({
      id: subaccountId,
      _links: { self: subaccount },
    });
  });

  test("draws distinct last four digits for its accounts", () => {
    sandbox.run("link-start", { accounts: [{}] });
    const [drawn] = sandbox.engine.store.latest("bank-links")[0]?.internal.accounts ?? [];
    const again = new EnrollmentSandbox();
    again.run("link-start", { accounts: [{}, { mask: drawn?.mask ?? "" }] });
    const [other] = again.engine.store.latest("bank-links")[0]?.internal.accounts ?? [];
    expect(Number(other?.mask)).toBe((Number(drawn?.mask) + 1) % 10_000);
  });

  test("defaults to a credit account and the latest free card's current account", () => {
    sandbox.run("enroll");
    const { cardId } = sandbox.run("enroll");
    const { last4 } = sandbox.get("cards", cardId).internal;
    sandbox.run("link-complete");
    expect(sandbox.sent("banklink.completed")[0]?.bankAccounts).toMatchObject([
      { type: "credit", cards: [{ network: "network_c" }] },
      { type: "depository", mask: last4, cardIds: [cardId] },
    ]);
  });
});
