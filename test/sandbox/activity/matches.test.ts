import { expect, test } from "vitest";
import { REMATCH_AFTER_MS } from "../../../src/world/activity/rematch.ts";
import { TestSandbox } from "../test-sandbox.ts";
import { cardOnAccount, namesOf, sent } from "./fixture.ts";

const CAFE = { merchant: { descriptor: "CORNER CAFE 12" } };
const AT_CAFE = { description: "CORNER CAFE DUBLIN" };

interface MatchBody {
  matchId: string;
  cardTransaction: { id: string; amount: number };
}

test("TXN-14: late card data nets the standalone and settles the purchase", async () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const standalone = sandbox.do("bank-post", { bankAccountId, amount: 58.1, ...AT_CAFE });
  const late = sandbox.do("late-card-data", CAFE);
  expect(sandbox.get("transactions", late.transactionId).body.status).toBe("PENDING");
  const events = await sandbox.advance("10s");
  expect(namesOf(events).sort()).toEqual([
    "transaction.match.created",
    "transaction.updated",
    "transaction.updated",
    "transactionmessage.created",
  ]);
  expect(sandbox.get("transactions", standalone.transactionId ?? "").body).toMatchObject({
    status: "SETTLED",
    transactionSettledAmount: 0,
    cardholderBillingSettledAmount: 0,
  });
  expect(sandbox.get("transactions", late.transactionId).body).toMatchObject({
    status: "SETTLED",
    transactionSettledAmount: 58.1,
  });
});

test("TXN-14: a low-confidence match nets the standalone, not the purchase", async () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const standalone = sandbox.do("bank-post", {
    bankAccountId,
    amount: 60,
    description: "CARD PAYMENT 1234",
  });
  const merchant = { descriptor: "HAFEN ELEKTRO GMBH" };
  const late = sandbox.do("late-card-data", { merchant, amount: 48 });
  const [match] = sent<{ confidence: string }>(
    await sandbox.advance("10s"),
    "transaction.match.created",
  );
  expect(match?.confidence).toBe("LOW");
  const netted = sandbox.get("transactions", standalone.transactionId ?? "").body;
  expect(netted.transactionSettledAmount).toBe(0);
  expect(sandbox.get("transactions", late.transactionId).body.status).toBe("PENDING");
});

test.each(["HIGH", "MEDIUM", "LOW", "NONE"] as const)(
  "late card data of confidence %s matches with it, whether the bank names a merchant or not",
  async (confidence) => {
    for (const text of [{ merchantName: "HAFEN ELEKTRO" }, { description: "CARD PAYMENT 1234" }]) {
      const sandbox = new TestSandbox();
      const { bankAccountId } = cardOnAccount(sandbox);
      sandbox.do("bank-post", { bankAccountId, amount: 60.07, ...text });
      sandbox.do("late-card-data", { confidence });
      const matches = sent<{ confidence: string }>(
        await sandbox.advance("31d"),
        "transaction.match.created",
      );
      expect(matches.map((match) => match.confidence)).toEqual(
        confidence === "NONE" ? [] : [confidence],
      );
    }
  },
);

test("MAT-09: matching is retried at growing intervals", () => {
  const gaps = REMATCH_AFTER_MS.map((time, index) => time - (REMATCH_AFTER_MS[index - 1] ?? 0));
  expect(gaps).toEqual([...gaps].sort((one, two) => one - two));
});

test("MAT-09: newer card data restarts the schedule", async () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const due = () => sandbox.engine.store.sql("SELECT count(*) AS jobs FROM jobs").get()?.["jobs"];
  sandbox.do("purchase");
  await sandbox.advance("1h");
  expect(due()).toBe(REMATCH_AFTER_MS.filter((time) => time > 3_600_000).length);
  sandbox.do("purchase");
  expect(due()).toBe(REMATCH_AFTER_MS.length);
});

test("MAT-07: a forced rematch retracts the old id and creates a new one", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase");
  const posted = sandbox.do("bank-post");
  const { events, matchIds } = sandbox.do("rematch", { transactionId });
  expect(namesOf(events)).toEqual(["transaction.match.deleted", "transaction.match.created"]);
  expect(events[0]?.body).toEqual({
    matchId: posted.matchId,
    bankTransactionId: posted.bankTransactionId,
    cardTransactionId: transactionId,
    reason: "rematch_superseded",
    metadata: { resourceId: posted.bankTransactionId },
  });
  expect(matchIds).not.toContain(posted.matchId);
  expect(() => sandbox.get("transaction-matches", posted.matchId ?? "")).toThrow(
    "there is no match",
  );
  expect(sandbox.get("transactions", transactionId).body.transactionSettledAmount).toBe(42.5);
});

test("resources of another account are neither rematched nor enriched", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase");
  const { bankTransactionId } = sandbox.do("bank-post");
  const accountId = sandbox.engine.store.accounts()[1]?.accountId;
  for (const params of [{ transactionId }, { bankTransactionId: bankTransactionId ?? "" }]) {
    expect(() => sandbox.do("rematch", { accountId, ...params })).toThrow("there is no");
  }
  expect(() => sandbox.do("enrich", { accountId, transactionId })).toThrow("there is no");
});

test("MAT-08: each debit of a purchase cleared in parts has its own leg", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount: 96.4, ...CAFE });
  const legs = [
    sandbox.do("clear-partial", { amount: 60 }).messageId,
    sandbox.do("clear").messageId,
  ];
  const matches = [60, 36.4].map((amount) => {
    const { events } = sandbox.do("bank-post", { bankAccountId, amount, ...AT_CAFE });
    return sent<MatchBody>(events, "transaction.match.created");
  });
  expect(matches.flat().map(({ cardTransaction }) => cardTransaction.id)).toEqual(legs);
  expect(sandbox.get("transactions", transactionId).body.transactionSettledAmount).toBe(96.4);
});

test("MAT-08: debits before the network's clearing settle leg by leg", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount: 100, ...CAFE });
  sandbox.do("bank-post", { bankAccountId, amount: 60, ...AT_CAFE });
  const { events } = sandbox.do("bank-post", { bankAccountId, amount: 40, ...AT_CAFE });
  const matches = sent<MatchBody>(events, "transaction.match.created");
  expect(matches.map(({ cardTransaction }) => cardTransaction.amount).sort()).toEqual([40, 60]);
  expect(new Set(matches.map(({ cardTransaction }) => cardTransaction.id)).size).toBe(2);
  expect(sandbox.get("transactions", transactionId).body).toMatchObject({
    transactionSettledAmount: 100,
    transactionHoldAmount: 0,
  });
  sandbox.do("clear");
  const { body } = sandbox.get("transactions", transactionId);
  expect(body.supersededMessageIds).toHaveLength(2);
  expect(body.transactionSettledAmount).toBe(100);
});

test("BTX-05: removing a bank transaction retracts its match", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase");
  const { bankTransactionId, matchId } = sandbox.do("bank-post");
  const { events } = sandbox.do("provider-remove");
  expect(namesOf(events)).toEqual(["banktransaction.deleted", "transaction.match.deleted"]);
  expect(events[0]?.body).toMatchObject({
    id: bankTransactionId,
    reason: "provider_removed",
    metadata: { resourceId: bankTransactionId },
  });
  expect(events[1]?.body).toMatchObject({ matchId, reason: "bank_transaction_retired" });
  expect(sandbox.get("bank-transactions", bankTransactionId ?? "").listed).toBe(false);
  // Whether it reverts is not specified; it stays settled (TXN-20).
  expect(sandbox.get("transactions", transactionId).body.status).toBe("SETTLED");
});

test("BTX-04: a retired duplicate no longer counts", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const twin = { bankAccountId, amount: 15, description: "KIOSK 8" };
  const first = sandbox.do("bank-post", twin);
  const second = sandbox.do("bank-post", twin);
  const { events } = sandbox.do("retire-duplicate");
  expect(events[0]?.body).toMatchObject({
    id: second.bankTransactionId,
    reason: "duplicate_retired",
  });
  const settled = ({ transactionId }: { transactionId: string | null }) =>
    sandbox.get("transactions", transactionId ?? "").body.transactionSettledAmount;
  expect([settled(first), settled(second)]).toEqual([15, 0]);
});

test("the duplicate of a retired posting replaces it in the purchase", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount: 42.5 });
  const first = sandbox.do("bank-post");
  sandbox.do("bank-post", { transactionId });
  const { bankTransactionId } = first;
  const { events } = sandbox.do("retire-duplicate", {
    bankTransactionId: bankTransactionId ?? "",
  });
  expect(namesOf(events).slice(0, 3)).toEqual([
    "banktransaction.deleted",
    "transaction.match.deleted",
    "transaction.match.created",
  ]);
  expect(sandbox.get("transactions", transactionId).body.transactionSettledAmount).toBe(42.5);
});

test("a movement during a lost connection is synced on recovery", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  sandbox.do("disconnect", { bankAccountId });
  const posted = sandbox.do("bank-post", { bankAccountId, amount: 5, description: "KIOSK 8" });
  expect(posted.bankTransactionId).toBeNull();
  expect(posted.events).toEqual([]);
  expect(namesOf(sandbox.do("recover", { bankAccountId }).events)).toEqual([
    "bankaccount.state_changed",
    "banktransaction.created",
    "transactionmessage.created",
    "transaction.created",
  ]);
});

test("a pending bank transaction is announced but not counted", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const posting = { bankAccountId, amount: 5, description: "KIOSK 8", pending: true };
  expect(namesOf(sandbox.do("bank-post", posting).events)).toEqual(["banktransaction.created"]);
});
