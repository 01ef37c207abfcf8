import { rematchAccount } from "../../world/activity/rematch.ts";
import type { Change } from "../engine.ts";
import { SeedBuilder } from "./seed-builder.ts";

const DAYS = 12;

/**
 * One example of everything that the interface shows: each enrollment type and state, and each way
 * in which a transaction settles, is superseded or is netted, on each network.
 */
export function buildSmall(work: Change, accountIds: readonly string[]): void {
  const [first = "", second = ""] = accountIds;
  const builder = new SeedBuilder(work, first, DAYS);
  purchases(builder, enrollments(builder));
  builder.end();

  const other = new SeedBuilder(work, second, DAYS);
  const { cardId: otherCardId } = addLinkedCard(other, "4000000000001119");
  other.do("purchase", { cardId: otherCardId, amount: 18.2 });
  other.wait(20).do("bank-post");
  other.do("purchase", { cardId: otherCardId, amount: 64 });
  other.end();
}

/** Enrolls a card, and links the bank account with the same last four digits. */
export function addLinkedCard(builder: SeedBuilder, cardNumber: string, network?: string) {
  const { cardId } = builder.do("enroll", { cardNumber, network });
  builder.do("sca-pass");
  const mask = cardNumber.slice(-4);
  const { subaccountId } = builder.work.store.find("cards", cardId);
  const accounts = [{ name: "Everyday Account", mask, type: "depository/checking" }];
  const { bankLinkId } = builder.do("link-start", { subaccountId, accounts });
  const { bankAccountIds } = builder.do("link-complete", { bankLinkId });
  return { cardId, bankAccountId: bankAccountIds[0] ?? "" };
}

function enrollments(builder: SeedBuilder) {
  const { networks } = builder.work.settings;
  builder.do("open-subaccount", { name: "Field Office" });
  const { subaccountId } = builder.do("open-subaccount", { name: "Head Office" });
  const linked = addLinkedCard(builder, "4000000000005205");
  // A credit account mints a card, a second one is upgraded, and an account without cards.
  const credit = { name: "Business Credit", type: "Credit Card" };
  const upgraded = { ...credit, mask: "3155", network: networks.a };
  const { bankLinkId } = builder.do("link-start", {
    subaccountId,
    accounts: [
      { ...credit, mask: "7731", network: networks.c },
      upgraded,
      { name: "Savings", mask: "0042", type: "depository/savings" },
    ],
  });
  builder.do("link-complete", { bankLinkId, by: "notification" });
  builder.do("enroll", { subaccountId, cardNumber: "4000000000003155", network: networks.a });
  builder.do("sca-pass");
  builder.do("feed-submit", { subaccountId, expectedCardCount: 3 });
  builder.do("feed-accept", { cards: 3 });
  builder.do("feed-submit", { subaccountId });
  builder.do("feed-reject");
  builder.do("enroll", { subaccountId, cardNumber: "4000000000009424", network: networks.b });
  builder.do("sca-pass");
  builder.do("deactivate");
  const onC = builder.do("enroll", { cardNumber: "4000000000002210", network: networks.c });
  builder.do("sca-pass");
  builder.do("enroll", { subaccountId, customerReferenceId: "employee-00417" });
  // A link that is not completed.
  builder.do("link-start", { subaccountId });
  return { ...linked, networkCCardId: onC.cardId };
}

interface Enrolled {
  readonly cardId: string;
  readonly bankAccountId: string;
  readonly networkCCardId: string;
}

function purchases(
  builder: SeedBuilder,
  { cardId, bankAccountId, networkCCardId }: Enrolled,
): void {
  const post = (transactionId: string) => builder.do("bank-post", { transactionId });
  // TXN-12 and TXN-13: settled by the bank, then cleared by the network.
  const settled = builder.wait(5).do("purchase", { cardId });
  builder.wait(9);
  post(settled.transactionId);
  builder.do("enrich", { transactionId: settled.transactionId });
  const cleared = builder.wait(3).do("purchase", { cardId, amount: 129.9 });
  builder.wait(20);
  post(cleared.transactionId);
  builder.wait(24).do("clear", { transactionId: cleared.transactionId });
  // In a currency other than the card's.
  const dollars = { amount: 80, currency: "USD", billingCurrency: "EUR" };
  const abroad = builder.do("purchase", { cardId, ...dollars });
  builder.wait(30).do("clear", { transactionId: abroad.transactionId });
  post(abroad.transactionId);
  // MAT-08: in parts, each with its own debit.
  const parts = builder.do("purchase", { cardId, amount: 96.4 });
  const { transactionId } = parts;
  builder.wait(12).do("clear-partial", { transactionId, amount: 60 });
  const { descriptor: description } = builder.work.store.find("transactions", transactionId).body;
  builder.wait(6).do("bank-post", { bankAccountId, amount: 60, description });
  builder.wait(6).do("clear", { transactionId });
  builder.wait(6).do("bank-post", { bankAccountId, amount: 36.4, description });
  // TXN-15: bank-only, on an account with a card and on one without.
  builder.do("bank-post", { bankAccountId, amount: 1250, description: "LIFFEY LETTINGS" });
  const cardless = builder.work.store
    .latest("bank-accounts", builder.accountId)
    .find(({ internal }) => internal.cardIds.length === 0);
  builder.do("bank-post", {
    bankAccountId: cardless?.id,
    amount: 9.99,
    description: "ACCOUNT FEE",
    category: ["BANK_FEES"],
  });
  builder.do("bank-post", {
    bankAccountId: cardless?.id,
    amount: 12.5,
    description: "INTEREST",
    transactionType: "credit",
  });
  lateCardDataAndRemovals(builder, cardId, bankAccountId);
  // MSG-05: with a traceId.
  builder.do("purchase", { cardId: networkCCardId, amount: 12 });
  builder.do("purchase", { cardId, amount: 310, result: "DECLINED" });
  builder.wait(8).do("purchase", { cardId, amount: 23.75 });
}

/** TXN-14, BTX-05: late card data, removals and a retired duplicate. */
function lateCardDataAndRemovals(
  builder: SeedBuilder,
  cardId: string,
  bankAccountId: string,
): void {
  const bankOnly = { bankAccountId, amount: 58.1, description: "HAFEN ELEKTRO HAMBURG" };
  const { bankTransactionId } = builder.wait(10).do("bank-post", bankOnly);
  const merchant = { descriptor: "HAFEN ELEKTRO GMBH" };
  const id = bankTransactionId ?? "";
  builder.wait(24).do("late-card-data", { bankTransactionId: id, cardId, merchant });
  rematchAccount(builder.work, bankAccountId);
  const removed = { bankAccountId, amount: 7.3, description: "KIOSK 8" };
  const { bankTransactionId: removedId } = builder.do("bank-post", removed);
  builder.wait(5).do("provider-remove", { bankTransactionId: removedId ?? "" });
  const twin = { bankAccountId, amount: 15, description: "MERCADO DEL SOL SEVILLA" };
  builder.do("bank-post", twin);
  builder.do("bank-post", twin);
  builder.wait(12).do("retire-duplicate");
}
