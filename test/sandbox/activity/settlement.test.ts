import { expect, test } from "vitest";
import { TestSandbox } from "../test-sandbox.ts";
import { cardlessAccount, cardOnAccount, namesOf, sent } from "./fixture.ts";

const SETTLED_BY_BANK = [
  "banktransaction.created",
  "transaction.match.created",
  "transactionmessage.created",
  "transaction.updated",
];

test("WHK-05: a purchase sends its message, then a pending transaction", () => {
  const sandbox = new TestSandbox();
  const { cardId } = cardOnAccount(sandbox);
  const { transactionId, messageId, events } = sandbox.do("purchase", { amount: 42.5 });
  expect(namesOf(events)).toEqual(["transactionmessage.created", "transaction.created"]);
  const { body } = sandbox.get("transactions", transactionId);
  expect(sent(events, "transaction.created")).toEqual([body]);
  expect(body).toMatchObject({
    status: "PENDING",
    cardId,
    transactionHoldAmount: 42.5,
    transactionSettledAmount: 0,
    supersededMessageIds: [],
    _links: { card: { href: `/cards/${cardId}` } },
  });
  expect(sandbox.get("transaction-messages", messageId).body).toMatchObject({
    messageType: "AUTH_REQU",
    result: "APPROVED",
    bankData: null,
    traceId: null,
  });
});

test("MSG-09: an announced message equals the served message", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { messageId, events } = sandbox.do("purchase");
  const [announced] = sent(events, "transactionmessage.created");
  expect(sandbox.get("transaction-messages", messageId).body).toEqual(announced);
});

test("TXN-12: a high-confidence posting settles a pending purchase", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId, messageId } = sandbox.do("purchase", { amount: 42.5 });
  const posted = sandbox.do("bank-post");
  expect(namesOf(posted.events)).toEqual(SETTLED_BY_BANK);
  expect(posted.transactionId).toBe(transactionId);
  const authorization = sandbox.get("transaction-messages", messageId).body;
  const [message] = sent(posted.events, "transactionmessage.created");
  expect(message).toMatchObject({
    messageType: "FINL_ADVC",
    network: authorization.network,
    approvalCode: authorization.approvalCode,
    transactionReference: authorization.transactionReference,
    bankData: { bankTransactionId: posted.bankTransactionId },
  });
  expect(authorization.approvalCode).toMatch(/^\d{6}$/);
  const { body } = sandbox.get("transactions", transactionId);
  expect(body).toMatchObject({
    status: "SETTLED",
    transactionHoldAmount: 0,
    transactionSettledAmount: 42.5,
    supersededMessageIds: [],
  });
  expect(sent(posted.events, "transaction.updated")).toEqual([body]);
});

test("TXN-12: a match below high confidence leaves the purchase pending", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const merchant = { descriptor: "CORNER CAFE 12" };
  const { transactionId } = sandbox.do("purchase", { amount: 42.5, merchant });
  const description = "HAFEN ELEKTRO HAMBURG";
  const { events } = sandbox.do("bank-post", { bankAccountId, amount: 42.5, description });
  const [match] = sent(events, "transaction.match.created");
  expect(match).toMatchObject({ confidence: "MEDIUM", cardTransaction: { id: transactionId } });
  expect(namesOf(events)).toEqual(["banktransaction.created", "transaction.match.created"]);
  expect(sandbox.get("transactions", transactionId).body.status).toBe("PENDING");
});

test("TXN-13: the network's clearing supersedes the bank's message in one update", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount: 42.5 });
  const posted = sandbox.do("bank-post");
  const [bankMessage] = sent<{ id: string }>(posted.events, "transactionmessage.created");
  const { events, messageId } = sandbox.do("clear", { amount: 46 });
  expect(namesOf(events)).toEqual(["transactionmessage.created", "transaction.updated"]);
  const { body } = sandbox.get("transactions", transactionId);
  expect(sent(events, "transaction.updated")).toEqual([body]);
  expect(body).toMatchObject({
    status: "SETTLED",
    transactionSettledAmount: 46,
    supersededMessageIds: [bankMessage?.id],
  });
  const projected = body._embedded?.messages?.map(({ id, superseded }) => [id, superseded]);
  expect(projected?.slice(1)).toEqual([
    [bankMessage?.id, true],
    [messageId, false],
  ]);
});

test("MSG-03: a superseded message stays fetchable and linked", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase");
  const posted = sandbox.do("bank-post");
  sandbox.do("clear");
  const [bankMessage] = sent<{ id: string }>(posted.events, "transactionmessage.created");
  const id = bankMessage?.id ?? "";
  expect(sandbox.get("transaction-messages", id).body).toEqual(bankMessage);
  const { _links } = sandbox.get("transactions", transactionId).body;
  expect(_links.messages).toContainEqual({ href: `/transaction-messages/${id}` });
});

test("TXN-13: a posting after the network's clearing is superseded at once", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount: 42.5 });
  sandbox.do("clear");
  const { events } = sandbox.do("bank-post", { transactionId });
  expect(namesOf(events)).toEqual(SETTLED_BY_BANK);
  const [message] = sent<{ id: string }>(events, "transactionmessage.created");
  expect(sandbox.get("transactions", transactionId).body).toMatchObject({
    transactionSettledAmount: 42.5,
    supersededMessageIds: [message?.id],
  });
});

test("TXN-15, TXN-16, TXN-17: a standalone movement settles under the oldest card", () => {
  const sandbox = new TestSandbox();
  const { cardId, bankAccountId } = cardOnAccount(sandbox);
  const posted = sandbox.do("bank-post", {
    bankAccountId,
    amount: 1250,
    description: "RENT MARCH",
  });
  expect(namesOf(posted.events)).toEqual([
    "banktransaction.created",
    "transactionmessage.created",
    "transaction.created",
  ]);
  const { body } = sandbox.get("transactions", posted.transactionId ?? "");
  expect(body).toMatchObject({
    status: "SETTLED",
    network: "OPEN_BANKING",
    cardId,
    transactionSettledAmount: 1250,
  });
  const [message] = sent<Record<string, unknown>>(posted.events, "transactionmessage.created");
  expect(message).toMatchObject({
    messageType: "FINL_ADVC",
    network: "OPEN_BANKING",
    approvalCode: null,
    bankData: { bankTransactionId: posted.bankTransactionId },
  });
  expect(message?.["transactionReference"]).toMatch(/^bank_/);
});

test("TXN-17, TXN-03: on a card-less link cardId is null without a card link", () => {
  const sandbox = new TestSandbox();
  const bankAccountId = cardlessAccount(sandbox);
  const { transactionId } = sandbox.do("bank-post", { bankAccountId, amount: 9.99 });
  const { body } = sandbox.get("transactions", transactionId ?? "");
  expect(body.cardId).toBeNull();
  expect(body._links).not.toHaveProperty("card");
});

test("SUB-08: the bank side works while the card is in reqSCA", () => {
  const sandbox = new TestSandbox();
  const accounts = [{ name: "Business Credit", mask: "7731", type: "credit" }];
  const { bankLinkId } = sandbox.do("link-start", { accounts });
  const { bankAccountIds } = sandbox.do("link-complete", { bankLinkId });
  const { subscriptionId } = sandbox.do("upgrade");
  expect(sandbox.get("card-subscriptions", subscriptionId).body.state).toBe("reqSCA");
  const bankAccountId = bankAccountIds[0] ?? "";
  const { events } = sandbox.do("bank-post", { bankAccountId, amount: 20, description: "KIOSK" });
  expect(namesOf(events)[0]).toBe("banktransaction.created");
});

test("TXN-10: an account without the projection gets no embedded messages", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const before = sandbox.do("purchase");
  sandbox.do("switch-projection", { on: false });
  const { events } = sandbox.do("purchase");
  const [created] = sent(events, "transaction.created");
  expect(created).not.toHaveProperty("_embedded");
  expect(sandbox.get("transactions", before.transactionId).body).not.toHaveProperty("_embedded");
  sandbox.do("switch-projection", { on: true });
  const { body } = sandbox.get("transactions", before.transactionId);
  expect(body._embedded?.messages).toHaveLength(1);
});

test("a declined purchase has no hold and is never matched", () => {
  const sandbox = new TestSandbox();
  const { bankAccountId } = cardOnAccount(sandbox);
  const { transactionId } = sandbox.do("purchase", { amount: 42.5, result: "DECLINED" });
  expect(sandbox.get("transactions", transactionId).body.transactionHoldAmount).toBe(0);
  const { matchId } = sandbox.do("bank-post", { bankAccountId, amount: 42.5 });
  expect(matchId).toBeNull();
});

test("a foreign purchase settles in both currencies", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const money = { amount: 80, currency: "USD", billingAmount: 73.4, billingCurrency: "EUR" };
  const { transactionId } = sandbox.do("purchase", money);
  sandbox.do("bank-post", { transactionId });
  expect(sandbox.get("transactions", transactionId).body).toMatchObject({
    transactionSettledAmount: 80,
    transactionCurrency: "USD",
    cardholderBillingSettledAmount: 73.4,
    cardholderBillingCurrency: "EUR",
  });
});

test("amounts with no or three decimals stay whole minor units", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const yen = sandbox.do("purchase", { amount: 1200, currency: "JPY" });
  sandbox.do("clear", { transactionId: yen.transactionId });
  const dinars = sandbox.do("purchase", { amount: 1.125, currency: "KWD" });
  sandbox.do("clear", { transactionId: dinars.transactionId });
  const settled = ({ transactionId }: { transactionId: string }) =>
    sandbox.get("transactions", transactionId).body.transactionSettledAmount;
  expect([settled(yen), settled(dinars)]).toEqual([1200, 1.125]);
});

test("MSG-04, MSG-05, MSG-06: NETWORK_C has a traceId and no approval code", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox, "NETWORK_C");
  const { messageId, transactionId } = sandbox.do("purchase");
  const { body } = sandbox.get("transaction-messages", messageId);
  expect(body.approvalCode).toBeNull();
  expect(body.traceId).toMatch(/^0\d+$/);
  const { events } = sandbox.do("bank-post", { transactionId });
  const [message] = sent(events, "transactionmessage.created");
  expect(message).toMatchObject({ traceId: body.traceId, network: "NETWORK_C" });
});

test("ENR-01: a message is enriched with its merchant", () => {
  const sandbox = new TestSandbox();
  cardOnAccount(sandbox);
  const { messageId } = sandbox.do("purchase", { merchant: { descriptor: "CORNER CAFE 12" } });
  const { events } = sandbox.do("enrich", { messageId });
  expect(namesOf(events)).toEqual(["enrichment.merchant.created"]);
  expect(events[0]?.body).toMatchObject({
    merchant: { name: "Corner Cafe" },
    _links: { message: { href: `/transaction-messages/${messageId}` } },
  });
});
