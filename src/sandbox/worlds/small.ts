import { rematchAccount } from "../activity/rematch.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { Tale } from "./tale.ts";

const DAYS = 12;

/**
 * One of everything that the interface shows: each enrollment type and state, each way in which a
 * purchase settles, is superseded and nets, on all three networks and on none.
 */
export function tellSmall(work: UnitOfWork, accountIds: readonly string[]): void {
  const [first = "", second = ""] = accountIds;
  const tale = new Tale(work, first, DAYS);
  purchases(tale, enrollments(tale));
  tale.end();

  const other = new Tale(work, second, DAYS);
  const { cardId: otherCardId } = linkedCard(other, "4000000000001119");
  other.do("purchase", { cardId: otherCardId, amount: 18.2 });
  other.wait(20).do("bank-post");
  other.do("purchase", { cardId: otherCardId, amount: 64 });
  other.end();
}

/** A card is enrolled, and found by its last four digits when its bank is linked. */
export function linkedCard(tale: Tale, cardNumber: string, network?: string) {
  const { cardId } = tale.do("enroll", { cardNumber, network });
  tale.do("sca-pass");
  const mask = cardNumber.slice(-4);
  const { subaccountId } = tale.work.store.find("cards", cardId);
  const accounts = [{ name: "Everyday Account", mask, type: "depository/checking" }];
  const { bankLinkId } = tale.do("link-start", { subaccountId, accounts });
  const { bankAccountIds } = tale.do("link-complete", { bankLinkId });
  return { cardId, bankAccountId: bankAccountIds[0] ?? "" };
}

function enrollments(tale: Tale) {
  const { networks } = tale.work.settings;
  tale.do("open-subaccount", { name: "Field Office" });
  const { subaccountId } = tale.do("open-subaccount", { name: "Head Office" });
  const linked = linkedCard(tale, "4000000000005205");
  // A credit account mints a card; a second one is upgraded; a card-less account has none.
  const credit = { name: "Business Credit", type: "Credit Card" };
  const upgraded = { ...credit, mask: "3155", network: networks.a };
  const { bankLinkId } = tale.do("link-start", {
    subaccountId,
    accounts: [
      { ...credit, mask: "7731", network: networks.c },
      upgraded,
      { name: "Savings", mask: "0042", type: "depository/savings" },
    ],
  });
  tale.do("link-complete", { bankLinkId, by: "notification" });
  tale.do("enroll", { subaccountId, cardNumber: "4000000000003155", network: networks.a });
  tale.do("sca-pass");
  tale.do("feed-submit", { subaccountId, expectedCardCount: 3 });
  tale.do("feed-accept", { cards: 3 });
  tale.do("feed-submit", { subaccountId });
  tale.do("feed-reject", { errorReason: "Company not registered for bulk feeds" });
  tale.do("enroll", { subaccountId, cardNumber: "4000000000009424", network: networks.b });
  tale.do("sca-pass");
  tale.do("deactivate");
  const onC = tale.do("enroll", { cardNumber: "4000000000002210", network: networks.c });
  tale.do("sca-pass");
  tale.do("enroll", { subaccountId, customerReferenceId: "employee-00417" });
  // A link that waits for its completion, by PATCH or by the cardholder.
  tale.do("link-start", { subaccountId });
  return { ...linked, networkCCardId: onC.cardId };
}

interface Enrolled {
  readonly cardId: string;
  readonly bankAccountId: string;
  readonly networkCCardId: string;
}

function purchases(tale: Tale, { cardId, bankAccountId, networkCCardId }: Enrolled): void {
  const post = (transactionId: string) => tale.do("bank-post", { transactionId });
  // TXN-12 and TXN-13: settled by the bank, then cleared by the network.
  const settled = tale.wait(5).do("purchase", { cardId });
  tale.wait(9);
  post(settled.transactionId);
  tale.do("enrich", { transactionId: settled.transactionId });
  const cleared = tale.wait(3).do("purchase", { cardId, amount: 129.9 });
  tale.wait(20);
  post(cleared.transactionId);
  tale.wait(24).do("clear", { transactionId: cleared.transactionId });
  // In another currency than the card's.
  const dollars = { amount: 80, currency: "USD", billingCurrency: "EUR" };
  const abroad = tale.do("purchase", { cardId, ...dollars });
  tale.wait(30).do("clear", { transactionId: abroad.transactionId });
  post(abroad.transactionId);
  // MAT-08: in parts, each with a debit of its own.
  const parts = tale.do("purchase", { cardId, amount: 96.4 });
  const { transactionId } = parts;
  tale.wait(12).do("clear-partial", { transactionId, amount: 60 });
  const { descriptor: description } = tale.work.store.find("transactions", transactionId).body;
  tale.wait(6).do("bank-post", { bankAccountId, amount: 60, description });
  tale.wait(6).do("clear", { transactionId });
  tale.wait(6).do("bank-post", { bankAccountId, amount: 36.4, description });
  // TXN-15: on a linked account, and on one without cards.
  tale.do("bank-post", { bankAccountId, amount: 1250, description: "LIFFEY LETTINGS" });
  const cardless = tale.work.store
    .latest("bank-accounts", tale.accountId)
    .find(({ internal }) => internal.cardIds.length === 0);
  tale.do("bank-post", {
    bankAccountId: cardless?.id,
    amount: 9.99,
    description: "ACCOUNT FEE",
    category: ["BANK_FEES"],
  });
  tale.do("bank-post", {
    bankAccountId: cardless?.id,
    amount: 12.5,
    description: "INTEREST",
    transactionType: "credit",
  });
  lateAndGone(tale, cardId, bankAccountId);
  // MSG-05: with a traceId.
  tale.do("purchase", { cardId: networkCCardId, amount: 12 });
  tale.do("purchase", { cardId, amount: 310, result: "DECLINED" });
  tale.wait(8).do("purchase", { cardId, amount: 23.75 });
}

/** TXN-14, BTX-05 and what is retired. */
function lateAndGone(tale: Tale, cardId: string, bankAccountId: string): void {
  const alone = { bankAccountId, amount: 58.1, description: "HAFEN ELEKTRO HAMBURG" };
  const { bankTransactionId } = tale.wait(10).do("bank-post", alone);
  const merchant = { descriptor: "HAFEN ELEKTRO GMBH" };
  const id = bankTransactionId ?? "";
  tale.wait(24).do("late-card-data", { bankTransactionId: id, cardId, merchant });
  rematchAccount(tale.work, bankAccountId);
  const gone = { bankAccountId, amount: 7.3, description: "KIOSK 8" };
  const { bankTransactionId: goneId } = tale.do("bank-post", gone);
  tale.wait(5).do("provider-remove", { bankTransactionId: goneId ?? "" });
  const twin = { bankAccountId, amount: 15, description: "MERCADO DEL SOL SEVILLA" };
  tale.do("bank-post", twin);
  tale.do("bank-post", twin);
  tale.wait(12).do("retire-duplicate");
}
