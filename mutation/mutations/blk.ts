import { BANK_LINK_TRANSITIONS } from "../../src/model/bank-account.ts";
import {
  changeTransition,
  combine,
  replaceAnnounce,
  replaceAnnounceDuring,
  replaceVerb,
} from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import {
  changeEventsNamed,
  dropEvents,
  type Json,
  mutationState,
  onPath,
  rename,
  sendAfter,
} from "../rewrite.ts";

const COMPLETED = "banklink.completed" as const;
const CREATED = "cardsubscription.created" as const;

const changeAccounts = (change: (account: Json) => void) =>
  changeEventsNamed(COMPLETED, (body) => {
    for (const account of body.bankAccounts) change(account);
  });

const changeCards = (change: (card: Json, account: Json) => void) =>
  changeAccounts((account) => {
    for (const card of account.cards ?? []) change(card, account);
  });

const isBankFeed = (body: Json) => body.enrollmentType === "bank-feed";

export const blk: readonly Mutation[] = [
  {
    id: "blk/mask-number",
    requirement: "BLK-01",
    description: "The mask is a number",
    checks: ["BLK-01: every body"],
    deliveries: changeAccounts((account) => {
      account.mask = Number(account.mask);
    }),
  },
  {
    id: "blk/mask-with-stars",
    requirement: "BLK-01",
    description: "The mask has stars, as the bank prints it",
    checks: ["BLK-01: every body"],
    deliveries: changeAccounts((account) => {
      account.mask = `****${account.mask}`;
    }),
  },
  {
    id: "blk/no-card-ids",
    requirement: "BLK-01",
    description: "omitempty: an empty cardIds is omitted",
    checks: ["BLK-01: every body"],
    deliveries: changeAccounts((account) => {
      if (account.cardIds.length === 0) delete account.cardIds;
    }),
  },
  {
    id: "blk/accounts",
    requirement: "BLK-01",
    description: "bankAccounts is named accounts",
    checks: ["BLK-01: every body"],
    deliveries: changeEventsNamed(COMPLETED, (body) => rename(body, "bankAccounts", "accounts")),
  },
  {
    id: "blk/bank-account-id",
    requirement: "BLK-01",
    description: "The id of an account is named bankAccountId, as in other events",
    checks: ["BLK-01: every body"],
    deliveries: changeAccounts((account) => rename(account, "id", "bankAccountId")),
  },
  {
    id: "blk/completed-twice",
    requirement: "BLK-02",
    description: "PATCH and polling both complete a link; the second finds the cards enrolled",
    checks: [
      "BLK-02: a completion by notification sends one banklink.completed",
      "BLK-02: a completion by polling sends one banklink.completed",
      "BLK-02: no delivery contradicts another",
    ],
    deliveries: sendAfter(COMPLETED, (body) => ({
      name: COMPLETED,
      body: { ...body, bankAccounts: body.bankAccounts.map(({ cards, ...one }: Json) => one) },
    })),
  },
  {
    id: "blk/polling-unannounced",
    requirement: "BLK-02",
    description: "Polling completes a link without an event",
    checks: ["BLK-02: a completion by polling sends one banklink.completed"],
    inside: (run) => {
      const lost = new Set<string>();
      return combine(
        replaceVerb("link-complete", (original, work, params) => {
          const result = (original as Json)(work, params);
          if (params.by === "polling") lost.add(result.bankLinkId);
          return result;
        }),
        replaceAnnounce((send, { name, order, body }, _, fire) => {
          const isLost = name === COMPLETED && lost.has(body.bankLinkId);
          if (isLost) fire();
          else send(name, order, body);
        }),
      )(run);
    },
  },
  {
    id: "blk/notification-unannounced",
    requirement: "BLK-02",
    description: "Only the PATCH handler announces a completion",
    checks: ["BLK-02: a completion by notification sends one banklink.completed"],
    inside: replaceAnnounceDuring("link-complete", (send, { name, order, body }, _, fire) => {
      if (name === COMPLETED) fire();
      else send(name, order, body);
    }),
  },
  {
    id: "blk/begun-is-completed",
    requirement: "BLK-02",
    description: "The event is also sent when the hosted flow starts",
    checks: [
      "BLK-02: a completion by notification sends one banklink.completed",
      "BLK-02: no delivery contradicts another",
    ],
    inside: announcingStart,
  },
  {
    id: "blk/network-upper-case",
    requirement: "BLK-03",
    description: "The network of a created card is in upper case",
    checks: ["BLK-03: every body"],
    deliveries: changeCards((card) => {
      card.network = card.network.toUpperCase();
    }),
  },
  {
    id: "blk/cards-of-debit",
    requirement: "BLK-03",
    description: "cards is always present, and empty for a debit account",
    checks: ["BLK-03: a completion lists exactly the cards that it created", "BLK-03: every body"],
    deliveries: changeAccounts((account) => {
      account.cards ??= [];
    }),
  },
  {
    id: "blk/enrolled-among-cards",
    requirement: "BLK-03",
    description: "cards lists every linked card, including those of debit accounts",
    checks: ["BLK-03: a completion lists exactly the cards that it created", "BLK-03: every body"],
    deliveries: changeAccounts((account) => {
      if (account.cards || account.cardIds.length === 0) return;
      account.cards = account.cardIds.map((id: string) => ({
        ...{ id, subscriptionId: id, last4digits: account.mask },
        ...{ network: "network_a", enrollmentType: "bank-feed" },
      }));
    }),
  },
  {
    id: "blk/last-4",
    requirement: "BLK-03",
    description: "last4digits is named last4",
    checks: ["BLK-03: a completion lists exactly the cards that it created", "BLK-03: every body"],
    deliveries: changeCards((card) => rename(card, "last4digits", "last4")),
  },
  {
    id: "blk/minted-not-among-ids",
    requirement: "BLK-03",
    description: "cardIds contains only the cards that existed before",
    checks: ["BLK-03: a completion lists exactly the cards that it created", "BLK-03: every body"],
    deliveries: changeCards((card, account) => {
      account.cardIds = account.cardIds.filter((id: string) => id !== card.id);
    }),
  },
  {
    id: "blk/enrolled-left-out",
    requirement: "BLK-04",
    description: "cardIds contains only the cards that the completion created",
    checks: ["BLK-04: cardIds includes an enrolled card with the account's last 4 digits"],
    deliveries: changeAccounts((account) => {
      account.cardIds = (account.cards ?? []).map(({ id }: Json) => id);
    }),
  },
  {
    id: "blk/minted-unannounced",
    requirement: "BLK-05",
    description: "Created cards are announced only by banklink.completed",
    checks: ["BLK-05: each card created by a completion has a cardsubscription.created"],
    deliveries: dropEvents(CREATED, isBankFeed),
  },
  {
    id: "blk/only-first-minted-announced",
    requirement: "BLK-05",
    description: "The loop returns after the first created card",
    checks: ["BLK-05"],
    deliveries: dropEvents(CREATED, (body, run) => {
      if (!isBankFeed(body)) return false;
      const times = mutationState(run, "times", () => new Set<string>());
      const time = body.createdAt;
      const isRepeat = times.has(time);
      times.add(time);
      return isRepeat;
    }),
  },
  {
    id: "blk/link-never-completes",
    requirement: "BLK-02",
    description: "The event was renamed in one place, so it is not sent",
    checks: [
      "BLK-02: a completion by notification sends one banklink.completed",
      "BLK-02: a completion by polling sends one banklink.completed",
    ],
    inside: changeTransition(BANK_LINK_TRANSITIONS, "complete", { sends: [] }),
  },
  {
    id: "blk/minted-left-out",
    requirement: "BLK-03",
    description: "banklink.completed has no cards",
    checks: [
      "BLK-03: a completion lists exactly the cards that it created",
      "BLK-03: cards lists each card that the completion enrolled",
    ],
    deliveries: changeEventsNamed(COMPLETED, ({ bankAccounts }) => {
      for (const account of bankAccounts) delete account.cards;
    }),
  },
  {
    id: "blk/completed-in-parts",
    requirement: "BLK-02",
    description: "A completion is announced in two parts, before PATCH returns",
    checks: ["BLK-02: a completion by PATCH sends one banklink.completed"],
    http: onPath(
      "/bank-links/{}",
      async ({ forward }, { sandbox }) => {
        const response = await forward();
        await sandbox.settle();
        return response;
      },
      "PATCH",
    ),
    deliveries: sendAfter(COMPLETED, (body) => ({
      name: COMPLETED,
      body: { ...body, bankAccounts: body.bankAccounts.slice(1) },
    })),
  },
  {
    id: "blk/mask-of-iban",
    requirement: "BLK-01",
    description: "The mask of a credit account is from its IBAN instead of its card number",
    checks: ["BLK-01: the mask of a credit account is its card's last 4 digits"],
    deliveries: changeAccounts((account) => {
      if (account.type === "credit") account.mask = account.mask === "4711" ? "4712" : "4711";
    }),
  },
];

function announcingStart(run: Parameters<NonNullable<Mutation["inside"]>>[0]): () => void {
  return replaceVerb("link-start", (original, work, params, fire) => {
    const result = (original as Json)(work, params);
    const { accountId } = work.store.find("bank-links", result.bankLinkId);
    const body = { bankLinkId: result.bankLinkId, bankAccounts: [] };
    work.announce(COMPLETED, { accountId, resource: result.bankLinkId }, body);
    fire();
    return result;
  })(run);
}
