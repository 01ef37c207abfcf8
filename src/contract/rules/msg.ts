import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";
import { AUTHORIZATION, OPEN_BANKING } from "./vocabulary.ts";

type Standalone = components["schemas"]["TransactionMessage"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];

/** The rules of a message, standalone or projected. */
export const messageRules: Rules<Standalone | Projected> = {
  "MSG-04": ({ network, traceId }, collector) => {
    if (typeof traceId !== "string" || network === collector.networks.c) return;
    collector.violation("/traceId", `null on network ${network}`, traceId);
  },

  // MSG-06: TXN-16 covers a bank-only message in a projection.
  "MSG-06": ({ network, messageType, approvalCode }, collector) => {
    if (typeof approvalCode !== "string") return;
    if (network !== collector.networks.c || messageType !== AUTHORIZATION) return;
    const expected = `null or nothing on a real-time authorization of ${network}`;
    collector.violation("/approvalCode", expected, approvalCode);
  },

  // MSG-08: an authorization is card-sourced; a settlement may be either.
  "MSG-08": ({ messageType, bankData }, collector) => {
    if (messageType !== AUTHORIZATION || !bankData) return;
    collector.violation("/bankData", "null on a card-sourced message", bankData);
  },
};

/** The rules of a standalone message: its event or its response. */
export const standaloneRules: Rules<Standalone> = {
  "MSG-02": (message, collector) => {
    for (const name of ["superseded", "supersededMessageIds"]) {
      if (!Object.hasOwn(message, name)) continue;
      collector.violation(
        `/${name}`,
        "nothing: only its transaction has it",
        memberOf(message, name),
      );
    }
  },

  "MSG-06": ({ network, approvalCode }, collector) => {
    if (network !== OPEN_BANKING || typeof approvalCode !== "string") return;
    collector.violation("/approvalCode", "null or nothing on a bank-only message", approvalCode);
  },

  "MSG-08": ({ network, bankData }, collector) => {
    if (network !== OPEN_BANKING || bankData !== null) return;
    collector.violation("/bankData", "the bank posting of a bank-only message", bankData);
  },

  // A standalone message has no transaction, so its own fields show whether it is bank-only.
  "TXN-16": ({ network, transactionReference }, collector) => {
    if (transactionReference === undefined) return;
    const isMarked = transactionReference.startsWith("bank_");
    if (network === OPEN_BANKING && !isMarked) {
      const expected = "a reference that starts with bank_";
      collector.violation("/transactionReference", expected, transactionReference);
    }
    // The reference of NETWORK_C has no meaning.
    if (network !== OPEN_BANKING && isMarked && network !== collector.networks.c) {
      collector.violation(
        "/network",
        `${OPEN_BANKING}, because the reference is bank-only`,
        network,
      );
    }
  },
};
