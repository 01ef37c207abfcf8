import { replaceVerb } from "../internals.ts";
import type { Json } from "../rewrite.ts";
import {
  acceptAgain,
  announce,
  changeLater,
  DROP,
  eventsIn,
  type Past,
  type SequenceFault,
} from "./past.ts";

const CHANGED = "bankaccount.state_changed" as const;
const FEED_CHANGED = "networkbulkfeed.statechanged" as const;
const COMPLETED = "banklink.completed" as const;

/** Bugs in the connections of bank accounts, in links and in bulk feeds. */
export const connectionFaults: readonly SequenceFault[] = [
  {
    id: "seq/stale-previous-state",
    requirement: "BAC-03",
    description: "previousState is that before the recovery, if a consent expired and recovered",
    inside: changeLater(CHANGED, (body, past) => {
      if (!hasRecoveredConsent(past)) return false;
      body.previousState = "auth_required";
      return body.state !== "auth_required";
    }),
  },
  {
    id: "seq/second-expiry-unannounced",
    requirement: "BAC-04",
    description: "A consent that expires again after its renewal is not announced",
    inside: changeLater(CHANGED, (body, past) => {
      return body.state === "auth_required" && hasRecoveredConsent(past) && DROP;
    }),
  },
  {
    id: "seq/second-expiry-without-reason",
    requirement: "BAC-04",
    description: "A consent that expires again after its renewal is announced without a reason",
    inside: changeLater(CHANGED, (body, past) => {
      if (body.state !== "auth_required" || !hasRecoveredConsent(past)) return false;
      body.reason = null;
      return true;
    }),
  },
  {
    id: "seq/loss-again-announced",
    requirement: "BAC-01",
    description: "A second loss of a connection is announced",
    inside: acceptAgain("disconnect", "bank-accounts", "bankAccountId", (account, { work }) => {
      announce(work, CHANGED, account, changeOf(account, "disconnected", "active"));
    }),
  },
  {
    id: "seq/recovery-again-announced",
    requirement: "BAC-01",
    description: "A second recovery of a connection is announced",
    inside: acceptAgain("recover", "bank-accounts", "bankAccountId", (account, { work }) => {
      announce(work, CHANGED, account, changeOf(account, "active", "disconnected"));
    }),
  },
  {
    id: "seq/second-loss-of-bank-unannounced",
    requirement: "BAC-04",
    description: "A loss is not announced while another account of the customer is disconnected",
    inside: changeLater(CHANGED, (body, past) => {
      return body.state === "disconnected" && hasLostOther(body.bankAccountId, past) && DROP;
    }),
  },
  {
    id: "seq/completion-again-announced",
    requirement: "BLK-02",
    description: "The notification of a completed link sends banklink.completed again",
    inside: replaceVerb("link-complete", (original, work, params, fire) => {
      const link = work.store.find("bank-links", params.bankLinkId);
      const isAgain = link.internal.state === "completed";
      const result = (original as Json)(work, params);
      if (!isAgain) return result;
      const past = eventsIn(work);
      const last = past.find(({ name, resource }) => name === COMPLETED && resource === link.id);
      announce(work, COMPLETED, link, last?.body);
      fire();
      return result;
    }),
  },
  {
    id: "seq/acceptance-again-announced",
    requirement: "NBF-04",
    description: "A second acceptance of a feed is announced",
    inside: acceptAgain("feed-accept", "network-bulk-feeds", "feedId", feedAgain),
  },
  {
    id: "seq/rejection-again-announced",
    requirement: "NBF-04",
    description: "A second rejection of a feed is announced",
    inside: acceptAgain("feed-reject", "network-bulk-feeds", "feedId", feedAgain),
  },
];

function changeOf(account: Json, state: string, previousState: string): Json {
  return { bankAccountId: account.id, state, previousState, reason: null, expiresAt: null };
}

/** Whether the latest change was the recovery of an expired consent. */
function hasRecoveredConsent({ own }: Past): boolean {
  const last = own.filter(({ name }) => name === CHANGED).at(-1)?.body;
  return last?.previousState === "auth_required" && last.state === "active";
}

function hasLostOther(bankAccountId: string, { all }: Past): boolean {
  const changes = all.filter(({ name }) => name === CHANGED).map(({ body }) => body);
  const states = new Map(changes.map((body) => [body.bankAccountId, body.state]));
  return [...states].some(([id, state]) => id !== bankAccountId && state === "disconnected");
}

function feedAgain(feed: Json, { all, work }: Omit<Past, "own">): void {
  const last = all.findLast(({ name, resource }) => name === FEED_CHANGED && resource === feed.id);
  if (last) announce(work, FEED_CHANGED, feed, { ...last.body, updatedAt: work.now() });
}
