import { type Transition, transitions } from "./state-machine.ts";

/** The network of bank-only transactions (TXN-16). */
export const OPEN_BANKING = "OPEN_BANKING";

type TransactionStatus = "PENDING" | "SETTLED";

/** A trigger that creates a transaction. */
export type CreationTrigger = "authorization" | "movement";
/** A trigger that updates a transaction. */
export type UpdateTrigger = "bank-settlement" | "network-clearing" | "netting" | "revision";

const MESSAGE = "transactionmessage.created";
const CREATED = "transaction.created";
const UPDATED = "transaction.updated";

/** The states of a transaction. No transition leads back to PENDING (TXN-20). */
export const TRANSACTION_TRANSITIONS = transitions([
  ["authorization", ["new"], "PENDING", [MESSAGE, CREATED], "WHK-05"],
  // A posting was matched with high confidence, possibly after the network has cleared.
  ["bank-settlement", ["PENDING", "SETTLED"], "SETTLED", [MESSAGE, UPDATED], "TXN-12"],
  // The network may clear before the bank posts.
  ["network-clearing", ["PENDING", "SETTLED"], "SETTLED", [MESSAGE, UPDATED], "TXN-13"],
  // A bank-only movement was synced.
  ["movement", ["new"], "SETTLED", [MESSAGE, CREATED], "TXN-15"],
  // A bank-only movement was matched later, or was deleted.
  ["netting", ["SETTLED"], "SETTLED", [UPDATED], "TXN-14"],
  // A match was retracted, so that the settled amounts change.
  ["revision", ["SETTLED"], "SETTLED", [UPDATED], "TXN-21"],
]) satisfies readonly Transition<TransactionStatus, CreationTrigger | UpdateTrigger>[];
