import { beforeEach, describe, expect, test } from "vitest";
import type { Posting } from "../../../src/model/bank-transaction.ts";
import { EnrollmentSandbox, namesOf } from "./enrollment-sandbox.ts";

let sandbox: EnrollmentSandbox;
let bankAccountId: string;

beforeEach(() => {
  sandbox = new EnrollmentSandbox();
  const { bankAccountIds } = sandbox.run("link-complete");
  bankAccountId = bankAccountIds.at(-1) ?? "";
});

const state = () => sandbox.get("bank-accounts", bankAccountId).internal.state;

/** A bank movement without a matching purchase. */
function posting(description: string): Posting {
  return {
    ...{ day: "2026-01-05", cents: 1250, currency: "EUR", description, merchantName: null },
    ...{ category: [], pending: false, transactionType: "debit" },
  };
}

/** The only event that a verb sent, which must concern only the account. */
function onlyEventOf({
  events,
}: {
  events: readonly { name: string; resource: string; body: unknown }[];
}) {
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ name: "bankaccount.state_changed", resource: bankAccountId });
  return events[0]?.body;
}

describe("a bank account's connection", () => {
  test("begins active, and only banklink.completed announces it", () => {
    expect(state()).toBe("active");
    expect(sandbox.sent("bankaccount.state_changed")).toEqual([]);
  });

  test("BAC-04: goes from active to auth_required when the consent expires", () => {
    expect(onlyEventOf(sandbox.run("consent-expire"))).toEqual({
      bankAccountId,
      state: "auth_required",
      previousState: "active",
      reason: "consent_expiring",
      expiresAt: "2026-01-12T09:00:00.000Z",
    });
    expect(state()).toBe("auth_required");
  });

  test("BAC-02: has the given reason and time, or null", () => {
    const given = { reason: "login_required", expiresAt: "2026-02-01T00:00:00.000Z" };
    expect(onlyEventOf(sandbox.run("consent-expire", given))).toMatchObject(given);
    sandbox.run("recover");
    expect(onlyEventOf(sandbox.run("consent-expire", { expiresAt: null }))).toMatchObject({
      reason: "consent_expiring",
      expiresAt: null,
    });
  });

  test.each([
    ["active", []],
    ["auth_required", ["consent-expire"]],
  ] as const)(
    "BAC-04: goes from %s to disconnected when the connection is lost",
    (previousState, verbs) => {
      for (const verb of verbs) sandbox.run(verb, { bankAccountId });
      const nothing = { reason: null, expiresAt: null };
      const event = onlyEventOf(sandbox.run("disconnect"));
      expect(event).toEqual({ bankAccountId, state: "disconnected", previousState, ...nothing });
      expect(state()).toBe("disconnected");
    },
  );

  test.each([
    ["auth_required", "consent-expire"],
    ["disconnected", "disconnect"],
  ] as const)("BAC-04: goes from %s back to active", (previousState, verb) => {
    sandbox.run(verb);
    const nothing = { reason: null, expiresAt: null };
    const event = onlyEventOf(sandbox.run("recover"));
    expect(event).toEqual({ bankAccountId, state: "active", previousState, ...nothing });
    expect(state()).toBe("active");
  });

  test.each(["consent-expire", "disconnect"] as const)(
    "syncs postings since %s once, after announcing its recovery",
    (verb) => {
      sandbox.run(verb);
      const postings = [posting("ACCOUNT FEE"), posting("INTEREST")];
      sandbox.engine.commit(({ store }) => {
        const account = store.find("bank-accounts", bankAccountId);
        store.update({ ...account, internal: { ...account.internal, unsynced: postings } });
      });
      const [first, ...rest] = sandbox.run("recover").events;
      expect(first?.name).toBe("bankaccount.state_changed");
      expect(namesOf(rest).filter((name) => name.startsWith("bank"))).toEqual([
        "banktransaction.created",
        "banktransaction.created",
      ]);
      const synced = sandbox.sent("banktransaction.created");
      expect(synced.map(({ description }) => description)).toEqual(["ACCOUNT FEE", "INTEREST"]);
      expect(sandbox.get("bank-accounts", bankAccountId).internal.unsynced).toEqual([]);
    },
  );

  test.each([
    ["active", "recover", []],
    ["auth_required", "consent-expire", ["consent-expire"]],
    ["disconnected", "disconnect", ["disconnect"]],
  ] as const)("BAC-01: sends no event if it would stay %s: %s is refused", (kept, verb, verbs) => {
    for (const before of verbs) sandbox.run(before, { bankAccountId });
    expect(sandbox.refusal(verb, { bankAccountId })).toMatchObject({ status: 409 });
    expect(state()).toBe(kept);
  });

  test("BAC-05: enters auth_required only from active", () => {
    sandbox.run("disconnect");
    const refused = sandbox.refusal("consent-expire", { bankAccountId });
    expect(refused?.message).toBe(
      `consent-expire applies to active, but bank account ${bankAccountId} is disconnected: ` +
        "run recover first",
    );
  });

  test("BAC-03: announces the previous state of each change", () => {
    for (const verb of [
      "consent-expire",
      "disconnect",
      "recover",
      "disconnect",
      "recover",
    ] as const)
      sandbox.run(verb, { bankAccountId });
    const sent = sandbox.sent("bankaccount.state_changed");
    const states = ["active", ...sent.map((event) => event.state)];
    expect(sent.map(({ previousState }) => previousState)).toEqual(states.slice(0, -1));
    expect(sent).toHaveLength(5);
  });

  test("defaults to the latest account in an applicable state", () => {
    const older = sandbox.engine.store.latest("bank-accounts").at(-1)?.id;
    expect(sandbox.run("disconnect").bankAccountId).toBe(bankAccountId);
    expect(sandbox.run("disconnect").bankAccountId).toBe(older);
    expect(sandbox.refusal("disconnect")).toMatchObject({ status: 409 });
    expect(sandbox.run("recover").bankAccountId).toBe(bankAccountId);
  });
});
