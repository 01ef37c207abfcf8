import type { Json } from "../rewrite.ts";
import {
  accountOfCard,
  changeLater,
  DROP,
  isClearingOfSettled,
  type Past,
  type SequenceFault,
  unlink,
} from "./past.ts";

const CHANGED = "bankaccount.state_changed" as const;
const UPDATED = "cardsubscription.updated" as const;
const RETRACTED = "transaction.match.deleted" as const;
const POSTED = "banktransaction.created" as const;

/** Bugs in what follows a change of the connection of its own account. */
export const connectedFaults: readonly SequenceFault[] = [
  {
    id: "seq/upgrade-while-expired",
    requirement: "SUB-06",
    description: "An upgrade is not announced while the consent to the card's account has expired",
    inside: changeLater(UPDATED, (body, past) => {
      const isUpgrade = past.own.at(-1)?.body.enrollmentType !== body.enrollmentType;
      return isUpgrade && stateOf(body.bankAccountId, past) === "auth_required" && DROP;
    }),
  },
  {
    id: "seq/sca-while-lost",
    requirement: "SUB-09",
    description: "Clearing SCA is not announced while the card's account is disconnected",
    inside: changeLater(UPDATED, (body, past) => {
      const isCleared = past.own.at(-1)?.body.state === "reqSCA" && body.state === "active";
      return isCleared && stateOf(body.bankAccountId, past) === "disconnected" && DROP;
    }),
  },
  {
    id: "seq/end-while-lost",
    requirement: "SUB-09",
    description: "The end of a subscription is not announced while its account is disconnected",
    inside: changeLater(UPDATED, (body, past) => {
      const isEnd = body.state === "deactivated";
      return isEnd && stateOf(body.bankAccountId, past) === "disconnected" && DROP;
    }),
  },
  {
    id: "seq/upgrade-after-movement-unlinks",
    requirement: "SUB-06",
    description: "An upgrade removes the bank account if the bank has posted a movement on it",
    inside: changeLater(
      UPDATED,
      (body, past) => {
        const isUpgrade = past.own.at(-1)?.body.enrollmentType !== body.enrollmentType;
        const isUsed = past.all.some(
          ({ name, body: one }) => name === POSTED && one.bankAccountId === body.bankAccountId,
        );
        return isUpgrade && isUsed && unlink(body);
      },
      "card-subscriptions",
    ),
  },
  {
    id: "seq/link-to-renewed-unannounced",
    requirement: "SUB-07",
    description: "Linking a card to an account whose consent was renewed is not announced",
    inside: changeLater(UPDATED, (body, past) => {
      const isGained = past.own.at(-1)?.body.bankAccountId === undefined && body.bankAccountId;
      return isGained && hasLeft("auth_required", body.bankAccountId, past) && DROP;
    }),
  },
  {
    id: "seq/completion-beside-a-feed",
    requirement: "BLK-02",
    description: "The completion of a link is not announced while a feed is undecided",
    inside: changeLater("banklink.completed", (_, { all, work }) => {
      const known = all.find(({ name }) => name === "cardsubscription.created")?.body;
      const account = known && (work.store.find("card-subscriptions", known.id) as Json).accountId;
      const feeds = account ? work.store.latest("network-bulk-feeds", account, 1_000) : [];
      return feeds.some(({ internal }: Json) => internal.state === "submitted") && DROP;
    }),
  },
  {
    id: "seq/expiry-after-loss-without-reason",
    requirement: "BAC-04",
    description: "The expiry of a consent has no reason once the connection was lost and recovered",
    inside: changeLater(CHANGED, (body, past) => {
      if (body.state !== "auth_required") return false;
      if (!hasLeft("disconnected", body.bankAccountId, past)) return false;
      body.reason = null;
      return true;
    }),
  },
  {
    id: "seq/movement-after-renewal",
    requirement: "TXN-15",
    description: "A bank-only movement creates no transaction once the consent was renewed",
    inside: changeLater("transaction.created", (body, past) => {
      const message = past.own.at(-1)?.body;
      const account = accountOfPosting(message?.bankData?.bankTransactionId, past);
      return body.network === "OPEN_BANKING" && hasLeft("auth_required", account, past) && DROP;
    }),
  },
  {
    id: "seq/posting-after-two-losses",
    requirement: "BTX-01",
    description: "Postings are not announced once an account with an expired consent was lost",
    inside: changeLater(POSTED, ({ bankAccountId }, past) => {
      const isLost = changesOf(bankAccountId, past).some(
        (one) => one.previousState === "auth_required" && one.state === "disconnected",
      );
      return isLost && DROP;
    }),
  },
  {
    id: "seq/removal-while-lost",
    requirement: "BTX-04",
    description: "The removal of a posting is not announced while its account is disconnected",
    inside: changeLater("banktransaction.deleted", ({ bankAccountId }, past) => {
      return stateOf(bankAccountId, past) === "disconnected" && DROP;
    }),
  },
  {
    id: "seq/retraction-while-expired",
    requirement: "BTX-05",
    description: "The match of a removed posting is not retracted while the consent has expired",
    inside: changeLater(RETRACTED, ({ reason, bankTransactionId }, past) => {
      const isRemoval = reason === "bank_transaction_retired";
      const state = stateOf(accountOfPosting(bankTransactionId, past), past);
      return isRemoval && state === "auth_required" && DROP;
    }),
  },
  {
    id: "seq/rematch-while-lost",
    requirement: "MAT-07",
    description: "A re-match does not announce the end of the old match while disconnected",
    inside: changeLater(RETRACTED, ({ reason, bankTransactionId }, past) => {
      const state = stateOf(accountOfPosting(bankTransactionId, past), past);
      return reason === "rematch_superseded" && state === "disconnected" && DROP;
    }),
  },
  {
    id: "seq/clearing-while-expired",
    requirement: "TXN-13",
    description:
      "The clearing of a settled purchase is not announced while the consent has expired",
    inside: changeLater("transaction.updated", (body, past) => {
      const state = stateOf(accountOfCard(body.cardId, past), past);
      return isClearingOfSettled(past) && state === "auth_required" && DROP;
    }),
  },
  {
    id: "seq/purchase-after-loss",
    requirement: "WHK-05",
    description: "A purchase is not announced once the connection of its account was recovered",
    inside: dropPurchasesAfter("disconnected"),
  },
  {
    id: "seq/purchase-after-renewal",
    requirement: "WHK-05",
    description: "A purchase is not announced once the consent to its account was renewed",
    inside: dropPurchasesAfter("auth_required"),
  },
  {
    id: "seq/clearing-after-loss",
    requirement: "TXN-13",
    description:
      "The clearing of a settled purchase is not announced once its connection was recovered",
    inside: changeLater("transaction.updated", (body, past) => {
      const account = accountOfCard(body.cardId, past);
      return isClearingOfSettled(past) && hasLeft("disconnected", account, past) && DROP;
    }),
  },
];

/** Drops the announcement of a purchase whose account is active again after a state. */
function dropPurchasesAfter(state: string): ReturnType<typeof changeLater> {
  return changeLater("transaction.created", (body, past) => {
    const account = accountOfCard(body.cardId, past);
    return body.network !== "OPEN_BANKING" && hasLeft(state, account, past) && DROP;
  });
}

/** The changes of an account's connection, the oldest first. */
function changesOf(accountId: string | undefined, { all }: Past): Json[] {
  const own = all.filter(({ name, resource }) => name === CHANGED && resource === accountId);
  return own.map(({ body }) => body);
}

function stateOf(accountId: string | undefined, past: Past): string | undefined {
  return changesOf(accountId, past).at(-1)?.state;
}

/** Whether an account is active again after a state. */
function hasLeft(state: string, accountId: string | undefined, past: Past): boolean {
  const changes = changesOf(accountId, past);
  return changes.some((one) => one.previousState === state) && changes.at(-1)?.state === "active";
}

function accountOfPosting(bankTransactionId: string | undefined, { all }: Past) {
  const posting = all.find(({ name, body }) => name === POSTED && body.id === bankTransactionId);
  return posting?.body.bankAccountId as string | undefined;
}
