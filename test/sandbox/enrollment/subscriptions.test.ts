import { beforeEach, describe, expect, test } from "vitest";
import { dumpState, START } from "../test-service.ts";
import { EnrollmentSandbox, namesOf } from "./enrollment-sandbox.ts";

let sandbox: EnrollmentSandbox;

beforeEach(() => {
  sandbox = new EnrollmentSandbox();
});

const subscription = (id: string) => sandbox.get("card-subscriptions", id).body;

/** Completes a link with one account. */
function linked(account: { mask: string; type?: string }) {
  const { bankLinkId } = sandbox.run("link-start", { accounts: [account] });
  const { bankAccountIds, events } = sandbox.run("link-complete", { bankLinkId });
  return { bankAccountId: bankAccountIds[0] ?? "", events };
}

/** A card that a credit account minted. */
function minted(mask = "4410") {
  const { bankAccountId } = linked({ mask, type: "Credit Card" });
  const [body] = sandbox.sent("cardsubscription.created").slice(-1);
  return { bankAccountId, subscriptionId: body?.id ?? "", cardId: body?.cardId ?? "" };
}

describe("a card enrolled by its holder", () => {
  test("SUB-04: starts in reqSCA, with cardsubscription.created", () => {
    const { subscriptionId, cardId, events } = sandbox.run("enroll", {
      cardNumber: "4000000000001234",
      customerReferenceId: "traveller-4711",
    });
    const body = subscription(subscriptionId);
    const subaccountId = sandbox.get("cards", cardId).subaccountId;
    expect(body).toEqual({
      id: subscriptionId,
      subaccountId,
      cardId,
      enrollmentType: "cardholder-single",
      state: "reqSCA",
      networkBulkFeedId: null,
      customerReferenceId: "traveller-4711",
      effectiveDate: "2026-01-05T00:00:00.000Z",
      expirationDate: "2029-01-05T00:00:00.000Z",
      createdAt: START,
      updatedAt: START,
      _links: {
        self: { href: `/card-subscriptions/${subscriptionId}` },
        card: { href: `/cards/${cardId}` },
      },
    });
    expect(namesOf(events)).toEqual(["cardsubscription.created"]);
    expect(events[0]).toMatchObject({ body, resource: subscriptionId });
  });

  test("keeps only the last four digits of its number", () => {
    const { cardId } = sandbox.run("enroll", { cardNumber: "4000000000001234" });
    expect(sandbox.get("cards", cardId).internal).toMatchObject({ last4: "1234" });
    expect(dumpState(sandbox.engine.store)).not.toContain("400000000000");
  });

  test("has a null customerReferenceId by default", () => {
    const { subscriptionId } = sandbox.run("enroll");
    expect(subscription(subscriptionId).customerReferenceId).toBeNull();
  });

  test("ends on 1 March if it begins on 29 February", async () => {
    await sandbox.scheduler.advance(Date.parse("2028-02-29T12:00:00.000Z") - Date.parse(START));
    const { subscriptionId } = sandbox.run("enroll");
    expect(subscription(subscriptionId)).toMatchObject({
      effectiveDate: "2028-02-29T00:00:00.000Z",
      expirationDate: "2031-03-01T00:00:00.000Z",
    });
  });

  test("SUB-05: goes from reqSCA to active when SCA is cleared", async () => {
    const { subscriptionId, cardId } = sandbox.run("enroll");
    const before = subscription(subscriptionId);
    await sandbox.scheduler.advance(1000);
    const { events, ...result } = sandbox.run("sca-pass");
    expect(result).toEqual({ subscriptionId, cardId });
    const body = subscription(subscriptionId);
    expect(body).toEqual({ ...before, state: "active", updatedAt: "2026-01-05T09:00:01.000Z" });
    expect(events).toEqual([expect.objectContaining({ name: "cardsubscription.updated", body })]);
  });

  test("does not change when SCA fails, and sends nothing: not specified", () => {
    const { subscriptionId } = sandbox.run("enroll");
    const before = dumpState(sandbox.engine.store);
    expect(sandbox.run("sca-fail")).toMatchObject({ subscriptionId, events: [] });
    expect(dumpState(sandbox.engine.store)).toBe(before);
    sandbox.run("sca-pass");
    expect(subscription(subscriptionId).state).toBe("active");
  });

  test("SUB-05: goes from active to deactivated", () => {
    const { subscriptionId } = sandbox.run("enroll");
    sandbox.run("sca-pass");
    const { events } = sandbox.run("deactivate");
    const body = subscription(subscriptionId);
    expect(body.state).toBe("deactivated");
    expect(events).toEqual([expect.objectContaining({ name: "cardsubscription.updated", body })]);
  });

  test("is refused with 409 if already enrolled", () => {
    sandbox.run("enroll", { cardNumber: "4000000000001234" });
    const again = sandbox.refusal("enroll", { cardNumber: "5000000000001234" });
    expect(again).toMatchObject({ status: 409 });
    expect(again?.message).toContain("NETWORK_A that ends in 1234 is enrolled already");
  });

  test("may have the last four digits of a card of another network or subaccount", () => {
    const first = sandbox.run("enroll", { cardNumber: "4000000000001234" });
    const second = sandbox.run("enroll", { cardNumber: "4000000000001234", network: "NETWORK_B" });
    const { subaccountId } = sandbox.run("open-subaccount");
    const third = sandbox.run("enroll", { cardNumber: "4000000000001234", subaccountId });
    expect(new Set([first.cardId, second.cardId, third.cardId]).size).toBe(3);
  });

  test("is a new card if the previous one is deactivated", () => {
    const first = sandbox.run("enroll", { cardNumber: "4000000000001234" });
    sandbox.run("sca-pass");
    sandbox.run("deactivate");
    const second = sandbox.run("enroll", { cardNumber: "4000000000001234" });
    expect(second.cardId).not.toBe(first.cardId);
    expect(namesOf(second.events)).toEqual(["cardsubscription.created"]);
  });

  test("SUB-03: has a bank account from the start if a connected mask matches", () => {
    const { bankAccountId } = linked({ mask: "1234" });
    const { subscriptionId, cardId, events } = sandbox.run("enroll", {
      cardNumber: "4000000000001234",
    });
    expect(namesOf(events)).toEqual(["cardsubscription.created"]);
    expect(subscription(subscriptionId)).toMatchObject({
      state: "reqSCA",
      bankAccountId,
      _links: { bankAccount: { href: `/bank-accounts/${bankAccountId}` } },
    });
    expect(sandbox.get("bank-accounts", bankAccountId).internal.cardIds).toEqual([cardId]);
  });

  test("has no bank account if the match has a card, is lost or is elsewhere", () => {
    const { bankAccountId } = linked({ mask: "1234" });
    const cardNumber = "4000000000001234";
    sandbox.run("enroll", { cardNumber });
    const second = sandbox.run("enroll", { cardNumber, network: "NETWORK_C" });
    expect(subscription(second.subscriptionId)).not.toHaveProperty("bankAccountId");
    linked({ mask: "5678" });
    sandbox.run("disconnect");
    const third = sandbox.run("enroll", { cardNumber: "4000000000005678" });
    expect(subscription(third.subscriptionId)).not.toHaveProperty("bankAccountId");
    linked({ mask: "9999" });
    const { subaccountId } = sandbox.run("open-subaccount");
    const fourth = sandbox.run("enroll", { cardNumber: "4000000000009999", subaccountId });
    expect(subscription(fourth.subscriptionId)).not.toHaveProperty("bankAccountId");
    expect(sandbox.get("bank-accounts", bankAccountId).internal.cardIds).toHaveLength(1);
  });
});

describe("a card minted by a bank account", () => {
  test("SUB-06: is upgraded in place by its real number", async () => {
    const { bankAccountId, subscriptionId, cardId } = minted("4410");
    const before = subscription(subscriptionId);
    await sandbox.scheduler.advance(1000);
    const { events, ...result } = sandbox.run("enroll", {
      cardNumber: "4000000000004410",
      network: "NETWORK_C",
      customerReferenceId: "known-now",
    });
    expect(result).toEqual({ subscriptionId, cardId });
    const body = subscription(subscriptionId);
    expect(body).toEqual({
      ...before,
      state: "reqSCA",
      enrollmentType: "cardholder-single",
      bankAccountId,
      customerReferenceId: "known-now",
      updatedAt: "2026-01-05T09:00:01.000Z",
    });
    expect(events).toEqual([expect.objectContaining({ name: "cardsubscription.updated", body })]);
    expect(sandbox.sent("cardsubscription.created")).toHaveLength(1);
    expect(sandbox.engine.store.latest("cards")).toHaveLength(1);
  });

  test("SUB-06: is upgraded only by the verb, and then becomes active", () => {
    const { bankAccountId, subscriptionId } = minted();
    const { events } = sandbox.run("upgrade");
    expect(namesOf(events)).toEqual(["cardsubscription.updated"]);
    sandbox.run("sca-pass");
    expect(subscription(subscriptionId)).toMatchObject({
      state: "active",
      enrollmentType: "cardholder-single",
      bankAccountId,
      customerReferenceId: null,
    });
  });

  test("SUB-06: is not upgraded by another network's number: that is another card", () => {
    const { subscriptionId } = minted("4410");
    const other = sandbox.run("enroll", { cardNumber: "4000000000004410", network: "NETWORK_A" });
    expect(other.subscriptionId).not.toBe(subscriptionId);
    expect(subscription(subscriptionId).enrollmentType).toBe("bank-feed");
  });

  test("SUB-06: is upgraded once, and then is no longer a bank feed", () => {
    const { subscriptionId } = minted("4410");
    sandbox.run("upgrade");
    sandbox.run("sca-pass");
    const card = { cardNumber: "4000000000004410", network: "NETWORK_C" };
    expect(sandbox.refusal("upgrade", { subscriptionId })?.message).toContain("cardholder-single");
    expect(sandbox.refusal("upgrade")).toMatchObject({ status: 409 });
    expect(sandbox.refusal("enroll", card)).toMatchObject({ status: 409 });
  });

  test("is enrolled again with its account if it was deactivated", () => {
    const { bankAccountId, subscriptionId, cardId } = minted("4410");
    sandbox.run("deactivate", { subscriptionId });
    const card = { cardNumber: "4000000000004410", network: "NETWORK_C" };
    const again = sandbox.run("enroll", card);
    expect(namesOf(again.events)).toEqual(["cardsubscription.created"]);
    expect(subscription(again.subscriptionId).bankAccountId).toBe(bankAccountId);
    const { cardIds } = sandbox.get("bank-accounts", bankAccountId).internal;
    expect(cardIds).toEqual([cardId, again.cardId]);
  });
});

describe("a card linked later", () => {
  test.each([
    ["reqSCA", []],
    ["active", ["sca-pass"]],
    ["deactivated", ["sca-pass", "deactivate"]],
  ] as const)(
    "SUB-07: gains its bank account in state %s without changing it",
    async (state, verbs) => {
      const { subscriptionId, cardId } = sandbox.run("enroll");
      for (const verb of verbs) sandbox.run(verb);
      const { bankAccountId } = linked({ mask: "6018" });
      const before = subscription(subscriptionId);
      await sandbox.scheduler.advance(1000);
      const { events, ...result } = sandbox.run("link-card", { cardId });
      expect(result).toEqual({ subscriptionId, cardId });
      const body = subscription(subscriptionId);
      expect(body).toEqual({
        ...before,
        state,
        bankAccountId,
        updatedAt: "2026-01-05T09:00:01.000Z",
        _links: { ...before._links, bankAccount: { href: `/bank-accounts/${bankAccountId}` } },
      });
      expect(events).toEqual([expect.objectContaining({ name: "cardsubscription.updated", body })]);
      expect(sandbox.get("bank-accounts", bankAccountId).internal.cardIds).toEqual([cardId]);
      // MAT-09: the card's purchases may explain the account's movements.
      expect(sandbox.engine.store.sql("SELECT DISTINCT name, subject FROM jobs").all()).toEqual([
        { name: "rematch", subject: bankAccountId },
      ]);
    },
  );

  test("SUB-07: keeps the feed that enrolled it", () => {
    const { feedId } = sandbox.run("feed-accept", { cards: 1 });
    linked({ mask: "6018" });
    const { subscriptionId } = sandbox.run("link-card");
    expect(subscription(subscriptionId)).toMatchObject({
      enrollmentType: "network-bulk",
      networkBulkFeedId: feedId,
      _links: { networkBulkFeed: { href: `/network-bulk-feeds/${feedId}` } },
    });
  });

  test("defaults to the latest unlinked enrolled card and a connected account", () => {
    const cards = [sandbox.run("enroll"), sandbox.run("enroll"), sandbox.run("enroll")];
    sandbox.run("sca-pass");
    sandbox.run("deactivate");
    const { bankAccountId } = linked({ mask: "6018" });
    linked({ mask: "6019" });
    sandbox.run("disconnect");
    const { subscriptionId, cardId } = sandbox.run("link-card");
    expect(cardId).toBe(cards[1]?.cardId);
    expect(subscription(subscriptionId).bankAccountId).toBe(bankAccountId);
    expect(sandbox.run("link-card").cardId).toBe(cards[0]?.cardId);
    expect(sandbox.refusal("link-card")).toMatchObject({ status: 409 });
  });

  test("is refused with 409 if it has an account, or that is lost or elsewhere", () => {
    const { cardId } = sandbox.run("enroll");
    expect(sandbox.refusal("link-card", { cardId })).toMatchObject({ status: 409 });
    const lost = linked({ mask: "6018" }).bankAccountId;
    sandbox.run("disconnect");
    expect(sandbox.refusal("link-card")).toMatchObject({ status: 409 });
    const onLost = sandbox.refusal("link-card", { cardId, bankAccountId: lost });
    expect(onLost?.message).toBe(`bank account ${lost} is disconnected`);
    const near = linked({ mask: "6019" }).bankAccountId;
    sandbox.run("link-card", { cardId, bankAccountId: near });
    const again = sandbox.refusal("link-card", { cardId, bankAccountId: near });
    expect(again?.message).toContain(`has bank account ${near} already`);
    sandbox.run("open-subaccount");
    const far = sandbox.run("enroll").cardId;
    const across = sandbox.refusal("link-card", { cardId: far, bankAccountId: near });
    expect(across).toMatchObject({ status: 409 });
  });
});
