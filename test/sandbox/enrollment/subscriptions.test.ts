import { beforeEach, describe, expect, test } from "vitest";
import { namesOf, START, Stage } from "./stage.ts";

let stage: Stage;

beforeEach(() => {
  stage = new Stage();
});

const subscription = (id: string) => stage.get("card-subscriptions", id).body;

/** A completed link of one account. */
function linked(account: { mask: string; type?: string }) {
  const { bankLinkId } = stage.run("link-start", { accounts: [account] });
  const { bankAccountIds, events } = stage.run("link-complete", { bankLinkId });
  return { bankAccountId: bankAccountIds[0] ?? "", events };
}

/** A card that a credit account minted. */
function minted(mask = "4410") {
  const { bankAccountId } = linked({ mask, type: "Credit Card" });
  const [body] = stage.sent("cardsubscription.created").slice(-1);
  return { bankAccountId, subscriptionId: body?.id ?? "", cardId: body?.cardId ?? "" };
}

describe("a card that its holder enrolls", () => {
  test("SUB-04: starts in reqSCA, with cardsubscription.created", () => {
    const { subscriptionId, cardId, events } = stage.run("enroll", {
      cardNumber: "4000000000001234",
      customerReferenceId: "traveller-4711",
    });
    const body = subscription(subscriptionId);
    const subaccountId = stage.get("cards", cardId).subaccountId;
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

  test("keeps the last four digits of its number and no more", () => {
    const { cardId } = stage.run("enroll", { cardNumber: "4000000000001234" });
    expect(stage.get("cards", cardId).internal).toMatchObject({ last4: "1234" });
    expect(stage.dump()).not.toContain("400000000000");
  });

  test("has a null customerReferenceId where none is given", () => {
    const { subscriptionId } = stage.run("enroll");
    expect(subscription(subscriptionId).customerReferenceId).toBeNull();
  });

  test("ends on 1 March where it begins on 29 February", async () => {
    await stage.scheduler.advance(Date.parse("2028-02-29T12:00:00.000Z") - Date.parse(START));
    const { subscriptionId } = stage.run("enroll");
    expect(subscription(subscriptionId)).toMatchObject({
      effectiveDate: "2028-02-29T00:00:00.000Z",
      expirationDate: "2031-03-01T00:00:00.000Z",
    });
  });

  test("SUB-05: goes from reqSCA to active when SCA is cleared", async () => {
    const { subscriptionId, cardId } = stage.run("enroll");
    const before = subscription(subscriptionId);
    await stage.scheduler.advance(1000);
    const { events, ...result } = stage.run("sca-pass");
    expect(result).toEqual({ subscriptionId, cardId });
    const body = subscription(subscriptionId);
    expect(body).toEqual({ ...before, state: "active", updatedAt: "2026-01-05T09:00:01.000Z" });
    expect(events).toEqual([expect.objectContaining({ name: "cardsubscription.updated", body })]);
  });

  test("stays as it is when SCA fails, and sends nothing: what that leads to is open", () => {
    const { subscriptionId } = stage.run("enroll");
    const before = stage.dump();
    expect(stage.run("sca-fail")).toMatchObject({ subscriptionId, events: [] });
    expect(stage.dump()).toBe(before);
    stage.run("sca-pass");
    expect(subscription(subscriptionId).state).toBe("active");
  });

  test("SUB-05: goes from active to deactivated", () => {
    const { subscriptionId } = stage.run("enroll");
    stage.run("sca-pass");
    const { events } = stage.run("deactivate");
    const body = subscription(subscriptionId);
    expect(body.state).toBe("deactivated");
    expect(events).toEqual([expect.objectContaining({ name: "cardsubscription.updated", body })]);
  });

  test("is refused with 409 where it is enrolled already", () => {
    stage.run("enroll", { cardNumber: "4000000000001234" });
    const again = stage.refusal("enroll", { cardNumber: "5000000000001234" });
    expect(again).toMatchObject({ status: 409 });
    expect(again?.message).toContain("NETWORK_A that ends in 1234 is enrolled already");
  });

  test("may have the last four digits of a card of another network or subaccount", () => {
    const first = stage.run("enroll", { cardNumber: "4000000000001234" });
    const second = stage.run("enroll", { cardNumber: "4000000000001234", network: "NETWORK_B" });
    const { subaccountId } = stage.run("open-subaccount");
    const third = stage.run("enroll", { cardNumber: "4000000000001234", subaccountId });
    expect(new Set([first.cardId, second.cardId, third.cardId]).size).toBe(3);
  });

  test("is a new card where the one before is deactivated", () => {
    const first = stage.run("enroll", { cardNumber: "4000000000001234" });
    stage.run("sca-pass");
    stage.run("deactivate");
    const second = stage.run("enroll", { cardNumber: "4000000000001234" });
    expect(second.cardId).not.toBe(first.cardId);
    expect(namesOf(second.events)).toEqual(["cardsubscription.created"]);
  });

  test("SUB-03: has its bank account from the start where the mask of a connected one fits", () => {
    const { bankAccountId } = linked({ mask: "1234" });
    const { subscriptionId, cardId, events } = stage.run("enroll", {
      cardNumber: "4000000000001234",
    });
    expect(namesOf(events)).toEqual(["cardsubscription.created"]);
    expect(subscription(subscriptionId)).toMatchObject({
      state: "reqSCA",
      bankAccountId,
      _links: { bankAccount: { href: `/bank-accounts/${bankAccountId}` } },
    });
    expect(stage.get("bank-accounts", bankAccountId).internal.cardIds).toEqual([cardId]);
  });

  test("has no bank account where the one that fits has its card, is lost, or is elsewhere", () => {
    const { bankAccountId } = linked({ mask: "1234" });
    const cardNumber = "4000000000001234";
    stage.run("enroll", { cardNumber });
    const second = stage.run("enroll", { cardNumber, network: "NETWORK_C" });
    expect(subscription(second.subscriptionId)).not.toHaveProperty("bankAccountId");
    linked({ mask: "5678" });
    stage.run("disconnect");
    const third = stage.run("enroll", { cardNumber: "4000000000005678" });
    expect(subscription(third.subscriptionId)).not.toHaveProperty("bankAccountId");
    linked({ mask: "9999" });
    const { subaccountId } = stage.run("open-subaccount");
    const fourth = stage.run("enroll", { cardNumber: "4000000000009999", subaccountId });
    expect(subscription(fourth.subscriptionId)).not.toHaveProperty("bankAccountId");
    expect(stage.get("bank-accounts", bankAccountId).internal.cardIds).toHaveLength(1);
  });
});

describe("a card that a bank account minted", () => {
  test("SUB-06: is upgraded in place by its real number", async () => {
    const { bankAccountId, subscriptionId, cardId } = minted("4410");
    const before = subscription(subscriptionId);
    await stage.scheduler.advance(1000);
    const { events, ...result } = stage.run("enroll", {
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
    expect(stage.sent("cardsubscription.created")).toHaveLength(1);
    expect(stage.engine.store.latest("cards")).toHaveLength(1);
  });

  test("SUB-06: is upgraded by the verb alone, and then goes on to active", () => {
    const { bankAccountId, subscriptionId } = minted();
    const { events } = stage.run("upgrade");
    expect(namesOf(events)).toEqual(["cardsubscription.updated"]);
    stage.run("sca-pass");
    expect(subscription(subscriptionId)).toMatchObject({
      state: "active",
      enrollmentType: "cardholder-single",
      bankAccountId,
      customerReferenceId: null,
    });
  });

  test("SUB-06: is not upgraded by a number of another network: that is another card", () => {
    const { subscriptionId } = minted("4410");
    const other = stage.run("enroll", { cardNumber: "4000000000004410", network: "NETWORK_A" });
    expect(other.subscriptionId).not.toBe(subscriptionId);
    expect(subscription(subscriptionId).enrollmentType).toBe("bank-feed");
  });

  test("SUB-06: is upgraded once: then it is no bank feed any more", () => {
    const { subscriptionId } = minted("4410");
    stage.run("upgrade");
    stage.run("sca-pass");
    const card = { cardNumber: "4000000000004410", network: "NETWORK_C" };
    expect(stage.refusal("upgrade", { subscriptionId })?.message).toContain("cardholder-single");
    expect(stage.refusal("upgrade")).toMatchObject({ status: 409 });
    expect(stage.refusal("enroll", card)).toMatchObject({ status: 409 });
  });

  test("is enrolled anew, on its account from the start, where it was deactivated", () => {
    const { bankAccountId, subscriptionId, cardId } = minted("4410");
    stage.run("deactivate", { subscriptionId });
    const card = { cardNumber: "4000000000004410", network: "NETWORK_C" };
    const again = stage.run("enroll", card);
    expect(namesOf(again.events)).toEqual(["cardsubscription.created"]);
    expect(subscription(again.subscriptionId).bankAccountId).toBe(bankAccountId);
    const { cardIds } = stage.get("bank-accounts", bankAccountId).internal;
    expect(cardIds).toEqual([cardId, again.cardId]);
  });
});

describe("a card that is linked later", () => {
  test.each([
    ["reqSCA", []],
    ["active", ["sca-pass"]],
    ["deactivated", ["sca-pass", "deactivate"]],
  ] as const)("SUB-07: gains its bank account in %s, which stays", async (state, verbs) => {
    const { subscriptionId, cardId } = stage.run("enroll");
    for (const verb of verbs) stage.run(verb);
    const { bankAccountId } = linked({ mask: "6018" });
    const before = subscription(subscriptionId);
    await stage.scheduler.advance(1000);
    const { events, ...result } = stage.run("link-card", { cardId });
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
    expect(stage.get("bank-accounts", bankAccountId).internal.cardIds).toEqual([cardId]);
    // MAT-09: what its card was used for may be what the account's movements are of.
    expect(stage.engine.store.sql("SELECT DISTINCT name, subject FROM jobs").all()).toEqual([
      { name: "rematch", subject: bankAccountId },
    ]);
  });

  test("SUB-07: keeps the feed that enrolled it", () => {
    const { feedId } = stage.run("feed-accept", { cards: 1 });
    linked({ mask: "6018" });
    const { subscriptionId } = stage.run("link-card");
    expect(subscription(subscriptionId)).toMatchObject({
      enrollmentType: "network-bulk",
      networkBulkFeedId: feedId,
      _links: { networkBulkFeed: { href: `/network-bulk-feeds/${feedId}` } },
    });
  });

  test("is by default the latest enrolled one without an account, to one that is connected", () => {
    const cards = [stage.run("enroll"), stage.run("enroll"), stage.run("enroll")];
    stage.run("sca-pass");
    stage.run("deactivate");
    const { bankAccountId } = linked({ mask: "6018" });
    linked({ mask: "6019" });
    stage.run("disconnect");
    const { subscriptionId, cardId } = stage.run("link-card");
    expect(cardId).toBe(cards[1]?.cardId);
    expect(subscription(subscriptionId).bankAccountId).toBe(bankAccountId);
    expect(stage.run("link-card").cardId).toBe(cards[0]?.cardId);
    expect(stage.refusal("link-card")).toMatchObject({ status: 409 });
  });

  test("is refused with 409 where it has an account, or the account is lost or elsewhere", () => {
    const { cardId } = stage.run("enroll");
    expect(stage.refusal("link-card", { cardId })).toMatchObject({ status: 409 });
    const lost = linked({ mask: "6018" }).bankAccountId;
    stage.run("disconnect");
    expect(stage.refusal("link-card")).toMatchObject({ status: 409 });
    const onLost = stage.refusal("link-card", { cardId, bankAccountId: lost });
    expect(onLost?.message).toBe(`bank account ${lost} is disconnected`);
    const near = linked({ mask: "6019" }).bankAccountId;
    stage.run("link-card", { cardId, bankAccountId: near });
    const again = stage.refusal("link-card", { cardId, bankAccountId: near });
    expect(again?.message).toContain(`has bank account ${near} already`);
    stage.run("open-subaccount");
    const far = stage.run("enroll").cardId;
    const across = stage.refusal("link-card", { cardId: far, bankAccountId: near });
    expect(across).toMatchObject({ status: 409 });
  });
});
