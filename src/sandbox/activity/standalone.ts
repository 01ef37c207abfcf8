import type { components } from "../../../generated/types.ts";
import type { Resource } from "../store/resources.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { writeMessage } from "./message.ts";
import { createTransaction, OPEN_BANKING, updateTransaction } from "./transaction.ts";

type BankData = components["schemas"]["BankData"];
type Account = Resource<"bank-accounts">;
type Movement = Resource<"bank-transactions">;

/** MSG-08: what a message tells of the posting that it was made from. */
export function bankDataOf(account: Account, { id, internal }: Movement): BankData {
  const [primary = "OTHER", detailed = primary] = internal.posting.category;
  return {
    provider: account.internal.provider,
    bankTransactionId: id,
    personalFinanceCategory: { primary, detailed },
  };
}

/**
 * TXN-15: a movement that no card accounts for becomes a settled transaction of its own, by a
 * synthetic message with the marks of TXN-16. One that did so before counts again.
 */
export function createStandalone(work: UnitOfWork, account: Account, movement: Movement): void {
  const { standaloneId, posting } = movement.internal;
  if (standaloneId !== null) {
    setNetted(work, standaloneId, false);
    return;
  }
  const { accountId, subaccountId } = movement;
  const transactionId = work.random.id();
  const fixed = {
    // TXN-17: that of the account's oldest linked card, null on a card-less link.
    cardId: account.internal.cardIds[0] ?? null,
    network: OPEN_BANKING,
    descriptor: posting.merchantName ?? posting.description,
    // The bank tells nothing of where it was.
    acceptor: { city: "", country: "", mcc: "", state: "" },
    transactionCurrency: posting.currency,
    cardholderBillingCurrency: posting.currency,
    // Which types there are besides DEBIT_nn is not shown.
    transactionType: posting.transactionType === "debit" ? "DEBIT_01" : "CREDIT_01",
  };
  const cents = { transaction: posting.cents, billing: posting.cents };
  const owner = { transactionId, accountId, subaccountId, ...fixed };
  const message = writeMessage(work, owner, {
    messageType: "FINL_ADVC",
    result: "APPROVED",
    cents,
    approvalCode: null,
    traceId: null,
    transactionReference: `bank_${work.random.hex(16)}`,
    bankData: bankDataOf(account, movement),
    dateTime: `${posting.day}T00:00:00`,
    day: posting.day,
  });
  const internal = {
    authorized: null,
    declined: false,
    cleared: true,
    netted: false,
    messages: [message.note],
    taken: [],
  };
  const { day } = posting;
  const parts = { accountId, subaccountId, parent: account.id, day, fixed, internal };
  createTransaction(work, { id: transactionId, ...parts }, { trigger: "movement", message });
  movement.internal.standaloneId = transactionId;
  work.store.update(movement);
}

/**
 * TXN-14: revises a standalone's settled amounts to 0, as its movement is a card's purchase or is
 * gone; or back, where it is neither any more.
 */
export function setNetted(work: UnitOfWork, standaloneId: string, isNetted: boolean): void {
  const standalone = work.store.find("transactions", standaloneId);
  if (standalone.internal.netted === isNetted) return;
  standalone.internal.netted = isNetted;
  updateTransaction(work, standalone, { trigger: isNetted ? "netting" : "revision" });
}
