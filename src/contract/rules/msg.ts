import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { Rules } from "./rule.ts";
import { AUTHORIZATION, OPEN_BANKING } from "./vocabulary.ts";

type Standalone = components["schemas"]["TransactionMessage"];
type Projected = components["schemas"]["ProjectedTransactionMessage"];

/** For a message, alone or in the projection. */
export const messageRules: Rules<Standalone | Projected> = {
  "MSG-04": ({ network, traceId }, judge) => {
    if (typeof traceId !== "string" || network === judge.networks.c) return;
    judge.breach("/traceId", `null on network ${network}`, traceId);
  },

  // MSG-06: a bank-only message in a projection is TXN-16's.
  "MSG-06": ({ network, messageType, approvalCode }, judge) => {
    if (typeof approvalCode !== "string") return;
    if (network !== judge.networks.c || messageType !== AUTHORIZATION) return;
    const expected = `null or nothing on a real-time authorization of ${network}`;
    judge.breach("/approvalCode", expected, approvalCode);
  },

  // MSG-08: an authorization is card-sourced (readings, 4); of a settlement there is no telling.
  "MSG-08": ({ messageType, bankData }, judge) => {
    if (messageType !== AUTHORIZATION || !bankData) return;
    judge.breach("/bankData", "null on a card-sourced message", bankData);
  },
};

/** For a message alone: its event, or its answer. */
export const standaloneRules: Rules<Standalone> = {
  "MSG-02": (message, judge) => {
    for (const name of ["superseded", "supersededMessageIds"]) {
      if (!Object.hasOwn(message, name)) continue;
      judge.breach(`/${name}`, "nothing: its transaction tells", memberOf(message, name));
    }
  },

  "MSG-06": ({ network, approvalCode }, judge) => {
    if (network !== OPEN_BANKING || typeof approvalCode !== "string") return;
    judge.breach("/approvalCode", "null or nothing on a bank-only message", approvalCode);
  },

  "MSG-08": ({ network, bankData }, judge) => {
    if (network !== OPEN_BANKING || bankData !== null) return;
    judge.breach("/bankData", "the bank posting of a bank-only message", bankData);
  },

  // A message alone has no transaction to tell that it is bank-only: its own marks do.
  "TXN-16": ({ network, transactionReference }, judge) => {
    if (transactionReference === undefined) return;
    const isMarked = transactionReference.startsWith("bank_");
    if (network === OPEN_BANKING && !isMarked) {
      const expected = "a reference that starts with bank_";
      judge.breach("/transactionReference", expected, transactionReference);
    }
    // The reference of NETWORK_C means nothing.
    if (network !== OPEN_BANKING && isMarked && network !== judge.networks.c) {
      judge.breach("/network", `${OPEN_BANKING}, as the reference is bank-only`, network);
    }
  },
};
