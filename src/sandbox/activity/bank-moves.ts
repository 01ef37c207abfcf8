import type { Transition } from "../state-machine.ts";

/** The states of a bank transaction. */
export const BANK_TRANSACTION_TRANSITIONS = [
  {
    trigger: "sync",
    from: ["new"],
    to: "synced",
    sends: ["banktransaction.created"],
    requirement: "BTX-01",
  },
  {
    trigger: "provider_removed",
    from: ["synced"],
    to: "deleted",
    sends: ["banktransaction.deleted"],
    requirement: "BTX-04",
  },
  {
    trigger: "duplicate_retired",
    from: ["synced"],
    to: "deleted",
    sends: ["banktransaction.deleted"],
    requirement: "BTX-04",
  },
] as const satisfies readonly Transition[];

/** The states of a match. What is matched again is a match of its own (MAT-07). */
export const MATCH_TRANSITIONS = [
  {
    trigger: "pairing",
    from: ["new"],
    to: "announced",
    sends: ["transaction.match.created"],
    requirement: "MAT-01",
  },
  {
    trigger: "bank_transaction_retired",
    from: ["announced"],
    to: "retracted",
    sends: ["transaction.match.deleted"],
    requirement: "BTX-05",
  },
  {
    trigger: "rematch_superseded",
    from: ["announced"],
    to: "retracted",
    sends: ["transaction.match.deleted"],
    requirement: "MAT-07",
  },
] as const satisfies readonly Transition[];
