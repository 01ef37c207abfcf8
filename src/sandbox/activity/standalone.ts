import type { components } from "../../../generated/types.ts";
import type { Ledger } from "../ledger.ts";
import type { Resource } from "../store/resources.ts";
import { writeMessage } from "./message.ts";
import { createTransaction, OPEN_BANKING, updateTransaction } from "./transaction.ts";

type BankData = components["schemas"]["BankData"];
type Account = Resource<"bank-accounts">;
type Movement = Resource<"bank-transactions">;

/** MSG-08: what a message tells of the posting that it was made from. */
export function bankDataOf(account: Account, { id, hidden }: Movement): BankData {
  const [primary = "OTHER", detailed = primary] = hidden.posting.category;
  return {
    provider: account.hidden.provider,
    bankTransactionId: id,
    personalFinanceCategory: { primary, detailed },
  };
}

/**
 * TXN-15: a movement that no card accounts for becomes a settled transaction of its own, by a
 * synthetic message with the marks of TXN-16. One that did so before counts again.
 */
export function standAlone(ledger: Ledger, account: Account, movement: Movement): void {
  const { standaloneId, posting } = movement.hidden;
  if (standaloneId !== null) {
    net(ledger, standaloneId, false);
    return;
  }
  const { accountId, subaccountId } = movement;
  const transactionId = ledger.random.id();
  const fixed = {
    // TXN-17: that of the account's oldest linked card, null on a card-less link.
    cardId: account.hidden.cardIds[0] ?? null,
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
  const message = writeMessage(ledger, owner, {
    messageType: "FINL_ADVC",
    result: "APPROVED",
    cents,
    approvalCode: null,
    traceId: null,
    transactionReference: `bank_${ledger.random.hex(16)}`,
    bankData: bankDataOf(account, movement),
    dateTime: `${posting.day}T00:00:00`,
    day: posting.day,
  });
  const hidden = {
    authorized: null,
    declined: false,
    cleared: true,
    netted: false,
    messages: [message.note],
    taken: [],
  };
  const { day } = posting;
  const parts = { accountId, subaccountId, parent: account.id, day, fixed, hidden };
  createTransaction(ledger, { id: transactionId, ...parts }, { trigger: "movement", message });
  movement.hidden.standaloneId = transactionId;
  ledger.store.update(movement);
}

/**
 * TXN-14: revises a standalone's settled amounts to 0, as its movement is a card's purchase or is
 * gone; or back, where it is neither any more.
 */
export function net(ledger: Ledger, standaloneId: string, isNetted: boolean): void {
  const standalone = ledger.store.find("transactions", standaloneId);
  if (standalone.hidden.netted === isNetted) return;
  standalone.hidden.netted = isNetted;
  updateTransaction(ledger, standalone, { trigger: isNetted ? "netting" : "revision" });
}
