import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";
import { AUTHORIZATION, OPEN_BANKING } from "./vocabulary.ts";

type Standalone = components["schemas"]["TransactionMessage"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];

/** The rules of a message, standalone or projected. */
export const messageRules: Rules<Standalone | Projected> = {
  "MSG-04.null-elsewhere": ({ network, traceId }, collector) => {
    if (network === collector.networks.c) return false;
    if (typeof traceId === "string")
      collector.violation("/traceId", `null on network ${network}`, traceId);
    return true;
  },

  "MSG-06.none-network-c": ({ network, messageType, approvalCode }, collector) => {
    if (network !== collector.networks.c || messageType !== AUTHORIZATION) return false;
    if (typeof approvalCode === "string") {
      const expected = `null or nothing on a real-time authorization of ${network}`;
      collector.violation("/approvalCode", expected, approvalCode);
    }
    return true;
  },

  // An authorization is card-sourced; a settlement may be either.
  "MSG-08.null-card": ({ messageType, bankData }, collector) => {
    if (messageType !== AUTHORIZATION) return false;
    if (bankData) collector.violation("/bankData", "null on a card-sourced message", bankData);
    return true;
  },
};

/** The rules of a standalone message: its event or its response. */
export const standaloneRules: Rules<Standalone> = {
  "MSG-02.not-standalone": (message, collector) => {
    for (const name of TRANSACTION_FIELDS) {
      if (!Object.hasOwn(message, name)) continue;
      const value = memberOf(message, name);
      collector.violation(`/${name}`, "nothing: only its transaction has it", value);
    }
    return true;
  },

  // TXN-16 covers a bank-only message in a projection.
  "MSG-06.none-bank-only": ({ network, approvalCode }, collector) => {
    if (network !== OPEN_BANKING) return false;
    if (typeof approvalCode === "string")
      collector.violation("/approvalCode", "null or nothing on a bank-only message", approvalCode);
    return true;
  },

  "MSG-08.provider": ({ network, bankData }, collector) => {
    if (network !== OPEN_BANKING) return bankData != null;
    if (bankData === null)
      collector.violation("/bankData", "the bank posting of a bank-only message", bankData);
    return true;
  },

  // A standalone message has no transaction, so its own fields show whether it is bank-only.
  "TXN-16.reference": ({ network, transactionReference }, collector) => {
    if (network !== OPEN_BANKING || transactionReference === undefined) return false;
    if (!transactionReference.startsWith("bank_")) {
      const expected = "a reference that starts with bank_";
      collector.violation("/transactionReference", expected, transactionReference);
    }
    return true;
  },

  // The reference of NETWORK_C has no meaning.
  "TXN-16.network": ({ network, transactionReference }, collector) => {
    if (!transactionReference?.startsWith("bank_") || network === collector.networks.c) {
      return false;
    }
    if (network !== OPEN_BANKING) {
      const expected = `${OPEN_BANKING}, because the reference is bank-only`;
      collector.violation("/network", expected, network);
    }
    return true;
  },
};

const TRANSACTION_FIELDS = ["superseded", "supersededMessageIds"];
