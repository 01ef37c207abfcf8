import { beforeEach, describe, expect, test } from "vitest";
import { drawDigits, takenDigits } from "../../../src/world/enrollment/cards.ts";
import { START } from "../test-service.ts";
import { EnrollmentSandbox, namesOf } from "./enrollment-sandbox.ts";

let sandbox: EnrollmentSandbox;

beforeEach(() => {
  sandbox = new EnrollmentSandbox();
});

const digits = (number: number) => String(number).padStart(4, "0");

describe("a bulk feed", () => {
  test("begins as submitted, without an event", () => {
    const { feedId, events } = sandbox.run("feed-submit", { expectedCardCount: 3 });
    const { body, internal, subaccountId } = sandbox.get("network-bulk-feeds", feedId);
    expect(events).toEqual([]);
    expect(internal.state).toBe("submitted");
    expect(body).toEqual({
      id: feedId,
      subaccountId,
      network: "NETWORK_B",
      networkReference: expect.stringMatching(/^BULK-\d{8}$/),
      expectedCardCount: 3,
      createdAt: START,
      updatedAt: START,
      _links: { self: { href: `/network-bulk-feeds/${feedId}` } },
    });
  });

  test("NBF-04: goes from submitted to active, then its cards are enrolled", async () => {
    const { feedId } = sandbox.run("feed-submit", { expectedCardCount: 3 });
    await sandbox.scheduler.advance(1000);
    const { events, subscriptionIds } = sandbox.run("feed-accept");
    const { body, internal } = sandbox.get("network-bulk-feeds", feedId);
    expect(internal.state).toBe("active");
    expect(body["updatedAt"]).toBe("2026-01-05T09:00:01.000Z");
    expect(namesOf(events)).toEqual([
      "networkbulkfeed.statechanged",
      "cardsubscription.created",
      "cardsubscription.created",
      "cardsubscription.created",
    ]);
    const sent = { ...body, oldState: "submitted", newState: "active" };
    expect(events[0]).toMatchObject({ resource: feedId });
    expect(events[0]?.body).toEqual(sent);
    const created = sandbox.sent("cardsubscription.created").map(({ id }) => id);
    expect(subscriptionIds).toEqual(created);
  });

  test("SUB-04: enrolls its cards as network-bulk and active", () => {
    const { feedId, subscriptionIds } = sandbox.run("feed-accept", { cards: 2 });
    const bodies = subscriptionIds.map((id) => sandbox.get("card-subscriptions", id).body);
    const cards = bodies.map(({ cardId }) => sandbox.get("cards", cardId).internal);
    expect(new Set(cards.map(({ last4 }) => last4)).size).toBe(2);
    for (const body of bodies) {
      expect(body).toMatchObject({
        enrollmentType: "network-bulk",
        state: "active",
        networkBulkFeedId: feedId,
        _links: { networkBulkFeed: { href: `/network-bulk-feeds/${feedId}` } },
      });
      expect(body).not.toHaveProperty("bankAccountId");
    }
    expect(cards).toMatchObject([{ network: "NETWORK_B" }, { network: "NETWORK_B" }]);
  });

  test("NBF-04: goes from submitted to failed and enrolls nothing", () => {
    const { feedId } = sandbox.run("feed-submit");
    const { events } = sandbox.run("feed-reject", { errorReason: "Unknown issuer" });
    expect(sandbox.get("network-bulk-feeds", feedId).internal.state).toBe("failed");
    expect(namesOf(events)).toEqual(["networkbulkfeed.statechanged"]);
    expect(events[0]?.body).toMatchObject({
      oldState: "submitted",
      newState: "failed",
      errorReason: "Unknown issuer",
    });
  });

  test("NBF-02: has an errorReason only if it fails on NETWORK_B", () => {
    sandbox.run("feed-reject");
    sandbox.run("feed-submit", { network: "NETWORK_A" });
    sandbox.run("feed-reject", { errorReason: "Not shown" });
    sandbox.run("feed-accept");
    const sent = sandbox.sent("networkbulkfeed.statechanged");
    expect(sent.map(({ errorReason }) => errorReason)).toEqual([
      "Company not registered for bulk feeds",
      undefined,
      undefined,
    ]);
    expect(sent.slice(1).some((body) => "errorReason" in body)).toBe(false);
  });

  test.each(["feed-accept", "feed-reject"] as const)(
    "NBF-03: has expectedCardCount on %s only if created with it",
    (verb) => {
      sandbox.run("feed-submit", { expectedCardCount: 0 });
      sandbox.run(verb);
      sandbox.run("feed-submit");
      sandbox.run(verb);
      const [counted, uncounted] = sandbox.sent("networkbulkfeed.statechanged");
      expect(counted?.expectedCardCount).toBe(0);
      expect(uncounted).not.toHaveProperty("expectedCardCount");
      expect(sandbox.sent("cardsubscription.created")).toHaveLength(verb === "feed-accept" ? 2 : 0);
    },
  );

  test("enrolls at most 100 cards at once", () => {
    sandbox.run("feed-submit", { expectedCardCount: 250 });
    expect(sandbox.run("feed-accept").subscriptionIds).toHaveLength(100);
  });

  test("draws last four digits that no card or bank account has", () => {
    const taken = new Set(Array.from({ length: 9_999 }, (_, number) => digits(number)));
    const draw = () => sandbox.engine.commit((work) => drawDigits(work, taken));
    expect(draw()).toBe("9999");
    expect(draw).toThrow("all last four digits are taken");
    sandbox.run("enroll", { cardNumber: "4000000000001234" });
    const { bankLinkId } = sandbox.run("link-start", { accounts: [{ mask: "5678" }] });
    const { subaccountId } = sandbox.get("bank-links", bankLinkId);
    expect(takenDigits(sandbox.engine.store, subaccountId)).toEqual(new Set(["1234", "5678"]));
  });
});
