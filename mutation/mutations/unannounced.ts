import type { Mutation, MutationRun } from "../mutation.ts";
import { dropEvents, type Json, mutationState } from "../rewrite.ts";

const COMPLETED = "banklink.completed" as const;
const STATE = "bankaccount.state_changed" as const;
const FEED = "networkbulkfeed.statechanged" as const;
const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;
const ENRICHED = "enrichment.merchant.created" as const;

/** What the events of a subscription have shown. */
interface Past {
  readonly before: Json;
  /** Whether it was a bank-feed subscription that was upgraded. */
  readonly isUpgraded: boolean;
}

function pastOf(run: MutationRun, body: Json): Past {
  const known = mutationState(run, "past", () => new Map<string, Past>());
  const { before, isUpgraded = false } = known.get(body.id) ?? {};
  const isUpgrade = before?.enrollmentType === "bank-feed" && body.enrollmentType !== "bank-feed";
  known.set(body.id, { before: body, isUpgraded: isUpgraded || isUpgrade });
  return { before, isUpgraded };
}

/** Drops updates of subscriptions by what changed. */
function dropUpdates(
  isDropped: (now: Json, past: Past, run: MutationRun) => unknown,
): Pick<Mutation, "deliveries"> {
  return {
    deliveries: dropEvents([CREATED, UPDATED], async (body, run) => {
      const past = pastOf(run, body);
      return past.before !== undefined && (await isDropped(body, past, run));
    }),
  };
}

/** Counts the events of a kind, from 1. */
function count(run: MutationRun, key: string): number {
  const counts = mutationState(run, "counts", () => new Map<string, number>());
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
}

/** Drops a change of a connection if the account has made it before. */
function dropRepeats(previousState: string, state: string): Pick<Mutation, "deliveries"> {
  return {
    deliveries: dropEvents(STATE, (body, run) => {
      const isOne = body.previousState === previousState && body.state === state;
      return isOne && count(run, body.bankAccountId) > 1;
    }),
  };
}

const isEnd = (now: Json, { before }: Past) =>
  before.state !== "deactivated" && now.state === "deactivated";
const isLink = (now: Json, { before }: Past) => !before.bankAccountId && now.bankAccountId;

/** Mutations in which an event is missing in one situation only. */
export const unannounced: readonly Mutation[] = [
  {
    id: "sub/bank-feed-end-unannounced",
    requirement: "SUB-05",
    description: "The end of a bank-feed subscription is not announced",
    checks: ["SUB-05: a subscription of each type ends as deactivated"],
    ...dropUpdates((now, past) => isEnd(now, past) && now.enrollmentType === "bank-feed"),
  },
  {
    id: "sub/upgraded-end-unannounced",
    requirement: "SUB-05",
    description: "The end of an upgraded subscription is not announced",
    checks: ["SUB-05: a subscription of each type ends as deactivated"],
    ...dropUpdates((now, past) => isEnd(now, past) && past.isUpgraded),
  },
  {
    id: "sub/upgraded-clearance-unannounced",
    requirement: "SUB-05",
    description: "The SCA of an upgraded subscription is cleared without an event",
    checks: ["SUB-05: a driven subscription changes state only as specified"],
    ...dropUpdates(
      (now, { before, isUpgraded }) =>
        isUpgraded && before.state === "reqSCA" && now.state === "active",
    ),
  },
  {
    id: "sub/linked-end-unannounced",
    requirement: "SUB-09",
    description: "The end of a card with a bank account is announced by the bank side only",
    checks: ["SUB-09: each change of a subscription is announced as updated"],
    ...dropUpdates(
      (now, past) =>
        isEnd(now, past) &&
        !past.isUpgraded &&
        now.bankAccountId &&
        now.enrollmentType === "cardholder-single",
    ),
  },
  {
    id: "sub/waiting-link-unannounced",
    requirement: "SUB-07",
    description: "A card in reqSCA is linked without an event",
    checks: ["SUB-07: a card that is linked later gains only its bank account"],
    ...dropUpdates((now, past) => isLink(now, past) && now.state === "reqSCA"),
  },
  {
    id: "sub/later-completion-unannounced",
    requirement: "SUB-07",
    description: "Only the first completion announces that enrolled cards were linked",
    checks: ["SUB-07: an enrolled card linked by a completion gains only its bank account"],
    deliveries: dropEvents([COMPLETED, CREATED, UPDATED], (body, run) => {
      const known = mutationState(run, "linked", () => new Set<string>());
      for (const { id, cardIds } of body.bankAccounts ?? []) {
        for (const cardId of cardIds) known.add(`${id} ${cardId}`);
      }
      if (body.bankLinkId) return false;
      const past = pastOf(run, body);
      const isLinked = past.before && isLink(body, past);
      return (
        isLinked && known.has(`${body.bankAccountId} ${body.cardId}`) && count(run, "links") > 1
      );
    }),
  },
  {
    id: "sub/second-bulk-card-unannounced",
    requirement: "SUB-04",
    description: "Only the first card of a bulk feed is announced",
    checks: ["SUB-04: a network-bulk enrollment starts in active and is announced"],
    deliveries: dropEvents(CREATED, ({ networkBulkFeedId }, run) => {
      return networkBulkFeedId !== null && count(run, networkBulkFeedId) > 1;
    }),
  },
  {
    id: "blk/minted-on-c-unannounced",
    requirement: "BLK-05",
    description: "A created card of NETWORK_C is not announced",
    checks: ["BLK-05: each card created by a completion has a cardsubscription.created"],
    deliveries: dropEvents([COMPLETED, CREATED], (body, run) => {
      const known = mutationState(run, "of c", () => new Set<string>());
      for (const { cards = [] } of body.bankAccounts ?? []) {
        for (const { subscriptionId, network } of cards) {
          if (network === "network_c") known.add(subscriptionId);
        }
      }
      return known.has(body.id);
    }),
  },
  {
    id: "blk/later-minted-unannounced",
    requirement: "BLK-05",
    description: "Only the first completion announces the cards that it creates",
    checks: ["BLK-05: each card created by a completion has a cardsubscription.created"],
    deliveries: dropEvents([COMPLETED, CREATED], (body, run) => {
      const known = mutationState(run, "later", () => new Set<string>());
      if (body.bankLinkId && count(run, "links") > 1) {
        for (const { id } of body.bankAccounts) known.add(id);
      }
      return body.enrollmentType === "bank-feed" && known.has(body.bankAccountId);
    }),
  },
  {
    id: "blk/cardless-unannounced",
    requirement: "BLK-02",
    description: "The completion of a link is not announced if no card is linked",
    checks: ["BLK-02: a completion by polling sends one banklink.completed"],
    deliveries: dropEvents(COMPLETED, ({ bankAccounts }) =>
      bankAccounts.every(({ cardIds }: Json) => cardIds.length === 0),
    ),
  },
  {
    id: "bac/second-expiry-unannounced",
    requirement: "BAC-04",
    description: "Only the first expiry of a consent is announced",
    checks: ["BAC-04: an expired consent is announced as auth_required"],
    ...dropRepeats("active", "auth_required"),
  },
  {
    id: "bac/second-loss-of-active-unannounced",
    requirement: "BAC-04",
    description: "Only the first loss of an active connection is announced",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    ...dropRepeats("active", "disconnected"),
  },
  {
    id: "bac/second-loss-of-expired-unannounced",
    requirement: "BAC-04",
    description: "Only the first loss of a connection with an expired consent is announced",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    ...dropRepeats("auth_required", "disconnected"),
  },
  {
    id: "bac/second-consent-unannounced",
    requirement: "BAC-04",
    description: "Only the first renewal of a consent is announced",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    ...dropRepeats("auth_required", "active"),
  },
  {
    id: "bac/second-recovery-unannounced",
    requirement: "BAC-04",
    description: "Only the first recovery of a lost connection is announced",
    checks: ["BAC-04: a lost connection and its recovery are announced from any state"],
    ...dropRepeats("disconnected", "active"),
  },
  {
    id: "bac/with-cards-unannounced",
    requirement: "BAC-04",
    description: "The connection of an account with cards is announced by its cards only",
    checks: ["BAC-04: changes of two accounts of one link are announced in turn"],
    deliveries: dropEvents([COMPLETED, STATE], (body, run) => {
      const known = mutationState(run, "with cards", () => new Set<string>());
      for (const { id, cardIds } of body.bankAccounts ?? []) if (cardIds.length > 0) known.add(id);
      return known.has(body.bankAccountId);
    }),
  },
  {
    id: "bac/second-account-unannounced",
    requirement: "BAC-04",
    description: "Only the first account of a link announces its connection",
    checks: ["BAC-04: changes of two accounts of one link are announced in turn"],
    deliveries: dropEvents([COMPLETED, STATE], (body, run) => {
      const known = mutationState(run, "others", () => new Set<string>());
      for (const { id } of (body.bankAccounts ?? []).slice(1)) known.add(id);
      return known.has(body.bankAccountId);
    }),
  },
  {
    id: "nbf/uncounted-acceptance-unannounced",
    requirement: "NBF-04",
    description: "The acceptance of a feed without expectedCardCount is not announced",
    checks: ["NBF-04: an accepted feed is announced as active"],
    deliveries: dropEvents(FEED, ({ newState, expectedCardCount }) => {
      return newState === "active" && expectedCardCount === undefined;
    }),
  },
  {
    id: "nbf/counted-rejection-unannounced",
    requirement: "NBF-04",
    description: "The rejection of a feed with expectedCardCount is not announced",
    checks: ["NBF-04: a rejected feed is announced as failed"],
    deliveries: dropEvents(FEED, ({ newState, expectedCardCount }) => {
      return newState === "failed" && expectedCardCount !== undefined;
    }),
  },
  {
    id: "enr/second-unannounced",
    requirement: "ENR-01",
    description: "Only the first enrichment of a merchant is announced",
    checks: ["ENR-01: the enrichment of a message is announced"],
    deliveries: dropEvents(ENRICHED, (_body, run) => count(run, "enriched") > 1),
  },
];
