import type { Json } from "../rewrite.ts";
import {
  acceptAgain,
  accountOfCard,
  announce,
  changeLater,
  DROP,
  isClearingOfSettled,
  type Past,
  type SequenceFault,
  subscriptionOfCard,
  wasSettled,
} from "./past.ts";

const CHANGED = "bankaccount.state_changed" as const;
const UPDATED = "transaction.updated" as const;
const CREATED = "transaction.created" as const;
const MATCHED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;
const DELETED = "banktransaction.deleted" as const;

/** Bugs in purchases, postings and matches. */
export const moneyFaults: readonly SequenceFault[] = [
  {
    id: "seq/second-rematch-reuses-id",
    requirement: "MAT-07",
    description: "The second re-match of a purchase restores the id of its first match",
    inside: changeLater(MATCHED, (body, { own }) => {
      const retractions = own.filter(({ name }) => name === RETRACTED).length;
      if (retractions < 2) return false;
      body.matchId = own.find(({ name }) => name === MATCHED)?.body.matchId;
      return true;
    }),
  },
  {
    id: "seq/removal-after-rematch",
    requirement: "BTX-05",
    description: "The match of a removed posting is not retracted if it is a re-match",
    inside: changeLater(RETRACTED, (body, { own }) => {
      const isRematch = own.some(({ body: one }) => one.reason === "rematch_superseded");
      return body.reason === "bank_transaction_retired" && isRematch && DROP;
    }),
  },
  {
    id: "seq/removal-after-clearing",
    requirement: "BTX-05",
    description: "The match of a removed posting is not retracted once the network has cleared",
    inside: changeLater(RETRACTED, (body, past) => {
      return body.reason === "bank_transaction_retired" && isCleared(body, past) && DROP;
    }),
  },
  {
    id: "seq/rematch-after-clearing",
    requirement: "MAT-07",
    description:
      "A re-match does not announce the end of the old match once the network has cleared",
    inside: changeLater(RETRACTED, (body, past) => {
      return body.reason === "rematch_superseded" && isCleared(body, past) && DROP;
    }),
  },
  {
    id: "seq/removal-again-announced",
    requirement: "BTX-04",
    description: "A second removal of a posting is announced with a new time",
    inside: acceptAgain(
      "provider-remove",
      "bank-transactions",
      "bankTransactionId",
      (movement, { all, work }) => {
        const first = all.find(
          ({ name, resource }) => name === DELETED && resource === movement.id,
        );
        if (first) announce(work, DELETED, movement, { ...first.body, deletedAt: later(first) });
      },
    ),
  },
  {
    id: "seq/netting-after-recovery",
    requirement: "TXN-14",
    description: "A bank-only transaction is not revised once a connection was lost and recovered",
    inside: changeLater(
      UPDATED,
      (body, { own, all }) => {
        const isNetting = body.network === "OPEN_BANKING" && body.transactionSettledAmount === 0;
        const isRecovered = all.some(({ name, body: one }) => {
          return name === CHANGED && one.previousState === "disconnected";
        });
        if (!isNetting || !isRecovered) return false;
        const amount = own.find(({ name }) => name === CREATED)?.body.transactionSettledAmount;
        body.transactionSettledAmount = amount;
        body.cardholderBillingSettledAmount = amount;
        return true;
      },
      "transactions",
    ),
  },
  {
    id: "seq/clearing-of-ended-card",
    requirement: "TXN-13",
    description: "The clearing of a settled purchase is not announced if its card has ended",
    inside: changeLater(UPDATED, (body, past) => {
      return isClearingOfSettled(past) && isEnded(body, past) && DROP;
    }),
  },
  {
    id: "seq/clearing-reopens",
    requirement: "TXN-13",
    description: "The clearing of a settled purchase makes it PENDING if its card has ended",
    inside: changeLater(
      UPDATED,
      (body, past) => {
        if (!isClearingOfSettled(past) || !isEnded(body, past)) return false;
        body.status = "PENDING";
        return true;
      },
      "transactions",
    ),
  },
  {
    id: "seq/sync-beside-a-lost-account",
    requirement: "BTX-01",
    description: "Postings are not announced while another account of the customer is disconnected",
    inside: changeLater("banktransaction.created", (body, { all }) => {
      const changes = all.filter(({ name }) => name === CHANGED).map(({ body: one }) => one);
      const states = new Map(changes.map((one) => [one.bankAccountId, one.state]));
      states.delete(body.bankAccountId);
      return [...states.values()].includes("disconnected") && DROP;
    }),
  },
  {
    id: "seq/purchase-while-expired",
    requirement: "WHK-05",
    description: "A purchase is not announced while the consent to its card's account has expired",
    inside: changeLater(CREATED, (body, { all, work }) => {
      const account = accountOfCard(body.cardId, { work });
      const last = all.findLast(({ name, resource }) => name === CHANGED && resource === account);
      const isPurchase = body.network !== "OPEN_BANKING";
      return isPurchase && last?.body.state === "auth_required" && DROP;
    }),
  },
  {
    id: "seq/settlement-without-update",
    requirement: "TXN-12",
    description: "A purchase is settled silently if its account was reconnected since its purchase",
    inside: changeLater(UPDATED, (body, { own, all, work }) => {
      const account = accountOfCard(body.cardId, { work });
      const start = all.findIndex(({ name, body: one }) => name === CREATED && one.id === body.id);
      const isRecovered = all.slice(start).some(({ name, resource, body: one }) => {
        return name === CHANGED && resource === account && one.state === "active";
      });
      return Boolean(own.at(-1)?.body.bankData) && !wasSettled(own) && isRecovered && DROP;
    }),
  },
];

function later({ body }: { readonly body: Json }): string {
  return new Date(Date.parse(body.deletedAt) + 1_000).toISOString();
}

/** Whether the network has cleared the purchase of a retracted match. */
function isCleared({ cardTransactionId }: Json, { all }: Past): boolean {
  return all.some(({ name, resource, body }) => {
    const isMessage = name === "transactionmessage.created" && resource === cardTransactionId;
    return isMessage && body.messageType === "FINL_ADVC" && !body.bankData;
  });
}

/** Whether the subscription of a transaction's card has ended. */
function isEnded({ cardId }: Json, { work }: Past): boolean {
  return subscriptionOfCard(cardId, work)?.body.state === "deactivated";
}
