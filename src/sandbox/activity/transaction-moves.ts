import type { Transition } from "../state-machine.ts";

export type TransactionStatus = "PENDING" | "SETTLED";

/** What happens to a transaction. */
export type TransactionTrigger =
  | "authorization"
  | "bank-settlement"
  | "network-clearing"
  | "movement"
  | "netting"
  | "revision";

const MESSAGE = "transactionmessage.created";

/**
 * The states of a transaction. Nothing leads back to PENDING (TXN-20); what follows from the
 * messages, the amounts and what is superseded, is `transaction.ts`.
 */
export const TRANSACTION_TRANSITIONS = [
  {
    trigger: "authorization",
    from: ["new"],
    to: "PENDING",
    sends: [MESSAGE, "transaction.created"],
    requirement: "WHK-05",
  },
  {
    // A posting was matched with high confidence, also after the network has cleared.
    trigger: "bank-settlement",
    from: ["PENDING", "SETTLED"],
    to: "SETTLED",
    sends: [MESSAGE, "transaction.updated"],
    requirement: "TXN-12",
  },
  {
    // The first to settle may be the network itself.
    trigger: "network-clearing",
    from: ["PENDING", "SETTLED"],
    to: "SETTLED",
    sends: [MESSAGE, "transaction.updated"],
    requirement: "TXN-13",
  },
  {
    // A bank-only movement was synced.
    trigger: "movement",
    from: ["new"],
    to: "SETTLED",
    sends: [MESSAGE, "transaction.created"],
    requirement: "TXN-15",
  },
  {
    // A bank-only movement was matched after all, or is gone.
    trigger: "netting",
    from: ["SETTLED"],
    to: "SETTLED",
    sends: ["transaction.updated"],
    requirement: "TXN-14",
  },
  {
    // A match was taken back: what rested on it counts no more, or again.
    trigger: "revision",
    from: ["SETTLED"],
    to: "SETTLED",
    sends: ["transaction.updated"],
    requirement: "TXN-21",
  },
] as const satisfies readonly Transition<TransactionStatus, TransactionTrigger>[];
