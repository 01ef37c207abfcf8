import { expect, test } from "vitest";
import { TestSandbox } from "../test-sandbox.ts";
import { cardlessAccount, cardOnAccount, namesOf, sent } from "./fixture.ts";

const CAFE = { merchant: { descriptor: "CORNER CAFE 12" } };
const AT_CAFE = { description: "CORNER CAFE DUBLIN" };

/** A purchase on an account, with helpers for its postings and sums. */
function setup(amount: number, money: object = {}) {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount, ...money, ...CAFE });
  const post = (part: number) => {
    return sandbox.do("bank-post", { bankAccountId, amount: part, ...AT_CAFE });
  };
  const purchase = () => sandbox.get("transactions", transactionId).body;
  const standaloneSum = () =>
    sandbox.engine.store
      .latest("transactions")
      .filter(({ body }) => body.network === "OPEN_BANKING")
      .reduce((sum, { body }) => sum + body.transactionSettledAmount, 0);
  return { sandbox, bankAccountId, transactionId, post, purchase, standaloneSum };
}

test("MAT-07: a rematch after the clearing does not repeat the posting", () => {
  const { sandbox, post, purchase } = setup(42.5);
  post(42.5);
  sandbox.do("clear");
  const { events } = sandbox.do("rematch");
  expect(namesOf(events)).toEqual(["transaction.match.deleted", "transaction.match.created"]);
  expect(purchase().supersededMessageIds).toHaveLength(1);
});

test.each([
  { title: "at once", clearings: [undefined] },
  { title: "in other parts", clearings: [50, undefined] },
  { title: "in more parts", clearings: [20, 20, 30, undefined] },
])("MAT-07, MAT-08: a purchase that was cleared $title keeps its debits", ({ clearings }) => {
  const { sandbox, transactionId, post, purchase, standaloneSum } = setup(100);
  for (const part of [60, 40]) post(part);
  for (const amount of clearings) {
    sandbox.do(amount === undefined ? "clear" : "clear-partial", { amount });
  }
  const { matchIds, events } = sandbox.do("rematch", { transactionId });
  expect(matchIds).toHaveLength(2);
  const matches = sent<{ cardTransaction: { id: string } }>(events, "transaction.match.created");
  expect(new Set(matches.map(({ cardTransaction }) => cardTransaction.id)).size).toBe(2);
  expect([purchase().transactionSettledAmount, standaloneSum()]).toEqual([100, 0]);
});

test("a debit after a partial clearing of its sum belongs to the purchase", async () => {
  const { sandbox, post, purchase, standaloneSum } = setup(100);
  sandbox.do("clear-partial", { amount: 55 });
  post(100);
  await sandbox.advance("30d");
  sandbox.do("clear");
  // MAT-09: the clearing is newer card data.
  await sandbox.advance("10s");
  expect([purchase().transactionSettledAmount, standaloneSum()]).toEqual([100, 0]);
});

test("a purchase whose debits add up to its amount takes no other", () => {
  const { sandbox, post, purchase, standaloneSum } = setup(100);
  for (const part of [60, 40]) post(part);
  sandbox.do("clear-partial", { amount: 50 });
  sandbox.do("clear");
  expect(post(50).matchId).toBeNull();
  expect([purchase().transactionSettledAmount, standaloneSum()]).toEqual([100, 50]);
});

test("a single clearing does not match a sum of debits tied with another purchase", () => {
  const { sandbox, bankAccountId, post } = setup(100);
  sandbox.do("clear");
  const merchant = { descriptor: "HAFEN ELEKTRO GMBH" };
  sandbox.do("purchase", { amount: 100, merchant });
  const { matchId } = sandbox.do("bank-post", {
    bankAccountId,
    amount: 100,
    description: "CARD PAYMENT 1234",
  });
  expect(matchId).toBeNull();
  expect(post(40).matchId).toBeNull();
});

test("equal parts that swap debits in a rematch are each settled by their own", () => {
  const { sandbox, bankAccountId, transactionId, post, purchase } = setup(100);
  const ids = [post(50), post(50)].map(({ bankTransactionId }) => bankTransactionId ?? "");
  for (let times = 0; times < 4; times += 1) sandbox.do("rematch", { transactionId });
  sandbox.do("provider-remove", { bankTransactionId: ids[0] ?? "" });
  sandbox.do("bank-post", { bankAccountId, amount: 50, ...AT_CAFE });
  const inForce = purchase()
    ._embedded?.messages?.filter(({ superseded }) => !superseded)
    .map(({ bankData }) => bankData?.bankTransactionId);
  expect(inForce).toContain(ids[1]);
  expect(inForce).not.toContain(ids[0]);
  expect(purchase().transactionSettledAmount).toBe(100);
});

test("each part of a purchase is matched again after its debit was removed", () => {
  const { sandbox, transactionId, post, purchase, standaloneSum } = setup(100);
  const debits = [60, 40].map((part) => ({ part, ...post(part) }));
  sandbox.do("clear");
  for (const { part, bankTransactionId } of debits) {
    sandbox.do("provider-remove", { bankTransactionId: bankTransactionId ?? "" });
    expect(post(part).transactionId).toBe(transactionId);
  }
  expect([purchase().transactionSettledAmount, standaloneSum()]).toEqual([100, 0]);
});

test("a further debit is limited to the uncleared rest of the purchase", () => {
  const { sandbox, transactionId, post } = setup(100);
  post(60);
  const last = post(40);
  sandbox.do("clear-partial", { amount: 50 });
  sandbox.do("clear");
  sandbox.do("provider-remove", { bankTransactionId: last.bankTransactionId ?? "" });
  expect(post(50).matchId).toBeNull();
  expect(post(40).transactionId).toBe(transactionId);
});

test("a debit near the sum of the cleared parts is not a part", () => {
  const { sandbox, post } = setup(100);
  sandbox.do("clear-partial", { amount: 55 });
  sandbox.do("clear");
  expect(post(95).matchId).toBeNull();
});

test("a posting that settles the whole for less leaves no hold", () => {
  const { sandbox, bankAccountId } = setup(1);
  const merchant = { descriptor: "SHELL 1234", mcc: "5542" };
  const { transactionId } = sandbox.do("purchase", { amount: 100, merchant });
  sandbox.do("bank-post", { bankAccountId, amount: 45, description: "SHELL 1234" });
  expect(sandbox.get("transactions", transactionId).body).toMatchObject({
    transactionHoldAmount: 0,
    transactionSettledAmount: 45,
  });
});

const ABROAD = { currency: "USD", billingAmount: 73.39, billingCurrency: "EUR" };
const WHOLE = {
  transactionHoldAmount: 0,
  cardholderBillingHoldAmount: 0,
  transactionSettledAmount: 80,
  cardholderBillingSettledAmount: 73.39,
};

test("foreign postings in parts add up in both currencies", () => {
  const { post, purchase } = setup(80, ABROAD);
  for (const part of [24.46, 24.46, 24.47]) post(part);
  expect(purchase()).toMatchObject(WHOLE);
});

test("foreign clearings in parts add up in both currencies", () => {
  const { sandbox, purchase } = setup(80, ABROAD);
  for (const amount of [26.67, 26.67]) sandbox.do("clear-partial", { amount });
  sandbox.do("clear");
  expect(purchase()).toMatchObject(WHOLE);
});

test("retire-duplicate syncs no duplicate over a lost connection", () => {
  const { sandbox, post } = setup(42.5);
  post(42.5);
  sandbox.do("disconnect");
  expect(() => sandbox.do("retire-duplicate")).toThrow("has no duplicate");
});

test("late-card-data skips movements of an account without a card", () => {
  const { sandbox, bankAccountId } = setup(1);
  const posting = { amount: 42, ...AT_CAFE };
  const standalone = sandbox.do("bank-post", { bankAccountId, ...posting });
  const cardless = sandbox.do("bank-post", { bankAccountId: cardlessAccount(sandbox), ...posting });
  const bankTransactionId = cardless.bankTransactionId ?? "";
  expect(() => sandbox.do("late-card-data", { bankTransactionId })).toThrow("with an active card");
  const late = sandbox.do("late-card-data");
  const { descriptor } = sandbox.get("transactions", late.transactionId).body;
  expect(descriptor).toBe(AT_CAFE.description);
  expect(standalone.transactionId).not.toBeNull();
});

test("late-card-data uses the account's oldest active card", () => {
  const sandbox = new TestSandbox();
  const accounts = [{ name: "Business Credit", mask: "7731", type: "credit" }];
  const { bankLinkId } = sandbox.do("link-start", { accounts });
  const [bankAccountId = ""] = sandbox.do("link-complete", { bankLinkId }).bankAccountIds;
  const { cardId } = sandbox.do("enroll", { cardNumber: "4000000000000001" });
  sandbox.do("sca-pass");
  sandbox.do("link-card", { cardId, bankAccountId });
  sandbox.do("bank-post", { bankAccountId, amount: 42, ...AT_CAFE });
  const { transactionId } = sandbox.do("late-card-data");
  expect(sandbox.get("transactions", transactionId).body.cardId).toBe(cardId);
});

test("MAT-08: a single clearing is matched under the transaction's own id", () => {
  const { sandbox, transactionId, post } = setup(42.5);
  sandbox.do("clear");
  const [match] = sent(post(42.5).events, "transaction.match.created");
  expect(match).toMatchObject({ cardTransaction: { id: transactionId } });
});

test("a last part with a tip on top leaves no hold", () => {
  const { sandbox, bankAccountId } = setup(1);
  const merchant = { descriptor: "LA TRATTORIA", mcc: "5812" };
  const { transactionId } = sandbox.do("purchase", { amount: 100, merchant });
  sandbox.do("clear-partial", { amount: 60 });
  sandbox.do("bank-post", { bankAccountId, amount: 42, description: "LA TRATTORIA" });
  expect(sandbox.get("transactions", transactionId).body).toMatchObject({
    transactionHoldAmount: 0,
    cardholderBillingHoldAmount: 0,
    cardholderBillingSettledAmount: 102,
  });
});

test("a posting that loses its match becomes bank-only", () => {
  const { sandbox, bankAccountId, purchase, standaloneSum } = setup(42.5);
  const mute = { bankAccountId, amount: 42.5, description: "CARD PAYMENT 1234" };
  const { bankTransactionId } = sandbox.do("bank-post", mute);
  expect(purchase().transactionSettledAmount).toBe(42.5);
  sandbox.do("purchase", { amount: 42.5, merchant: { descriptor: "HAFEN ELEKTRO GMBH" } });
  const { matchIds } = sandbox.do("rematch", { bankTransactionId: bankTransactionId ?? "" });
  expect(matchIds).toEqual([]);
  expect([purchase().transactionSettledAmount, standaloneSum()]).toEqual([0, 42.5]);
  expect(purchase()).toMatchObject({ status: "SETTLED", transactionHoldAmount: 42.5 });
});

test("a purchase with a matched debit takes no other", () => {
  const { sandbox, post } = setup(100);
  post(100);
  sandbox.do("clear-partial", { amount: 60 });
  sandbox.do("clear", { amount: 90 });
  expect(post(50).matchId).toBeNull();
});
