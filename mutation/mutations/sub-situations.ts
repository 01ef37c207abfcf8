import { replaceAnnounceDuring, replaceRefusal } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  dropEvents,
  type Json,
  mutationState,
  OTHER_ID,
  onEvents,
} from "../rewrite.ts";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;

/** Mutations of subscriptions that show only in some situations. */
export const subSituations: readonly Mutation[] = [
  {
    id: "sub/feed-of-another",
    requirement: "SUB-02",
    description: "The subscriptions of a feed name the feed before it",
    checks: ["SUB-02: the subscriptions of a bulk feed name that feed"],
    deliveries: changeEventsNamed(CREATED, (body, { run }) => {
      if (body.networkBulkFeedId === null) return;
      const known = mutationState(run, "feeds", () => new Set<string>());
      known.add(body.networkBulkFeedId);
      const [first = ""] = known;
      if (first === body.networkBulkFeedId) return;
      body.networkBulkFeedId = first;
      body._links.networkBulkFeed.href = `/network-bulk-feeds/${first}`;
    }),
  },
  {
    id: "sub/minted-on-first-account",
    requirement: "SUB-03",
    description: "Every created card is announced with the link's first account",
    checks: ["SUB-03: a bank-derived card has the bank account that it comes from"],
    deliveries: changeEventsNamed(CREATED, (body, { run }) => {
      if (body.enrollmentType !== "bank-feed") return;
      const { first } = mutationState(run, "minted", () => ({ first: body.bankAccountId }));
      if (body.bankAccountId === first) return;
      body.bankAccountId = first;
      body._links.bankAccount.href = `/bank-accounts/${first}`;
    }),
  },
  {
    id: "sub/linked-to-another",
    requirement: "SUB-03",
    description: "A card that is linked later is saved with another account",
    checks: [
      "SUB-03: a card that is linked later has the bank account that it is linked to",
      "SUB-07: a card that is linked later gains only its bank account",
    ],
    inside: replaceAnnounceDuring("link-card", (send, { name, order, body }, { store }, fire) => {
      const subscription = store.find("card-subscriptions", body.id);
      const changed = subscription.body as Json;
      changed.bankAccountId = OTHER_ID;
      changed._links.bankAccount.href = `/bank-accounts/${OTHER_ID}`;
      store.update(subscription);
      fire();
      send(name, order, changed);
    }),
  },
  {
    id: "sub/bulk-link-unannounced",
    requirement: "SUB-07",
    description: "Linking a card of a bulk feed is not announced",
    checks: ["SUB-07: a network-bulk card that is linked later gains only its bank account"],
    inside: replaceAnnounceDuring("link-card", (send, { name, order, body }, _work, fire) => {
      if (body.enrollmentType === "network-bulk") fire();
      else send(name, order, body);
    }),
  },
  {
    id: "sub/ended-link-unannounced",
    requirement: "SUB-07",
    description: "The card of a subscription that has ended is linked without an event",
    checks: ["SUB-07: a card that is linked after its end gains only its bank account"],
    inside: replaceAnnounceDuring("link-card", (send, { name, order, body }, _work, fire) => {
      if (body.state === "deactivated") fire();
      else send(name, order, body);
    }),
  },
  {
    id: "sub/bulk-end-unannounced",
    requirement: "SUB-05",
    description: "The end of a bulk subscription is not announced",
    checks: ["SUB-05: a subscription of each type ends as deactivated"],
    deliveries: dropEvents(UPDATED, ({ enrollmentType, state }) => {
      return enrollmentType === "network-bulk" && state === "deactivated";
    }),
  },
  {
    id: "sub/account-lost-after-sca",
    requirement: "SUB-06",
    description: "Clearing the SCA of an upgraded card removes its bank account",
    checks: ["SUB-06: an upgraded subscription keeps its bank account when it is active"],
    inside: replaceAnnounceDuring("sca-pass", (send, { name, order, body }, { store }, fire) => {
      const subscription = store.find("card-subscriptions", body.id);
      const changed = subscription.body as Json;
      if (changed.bankAccountId !== undefined) fire();
      delete changed.bankAccountId;
      delete changed._links.bankAccount;
      store.update(subscription);
      send(name, order, changed);
    }),
  },
  {
    id: "sub/second-upgrade-unannounced",
    requirement: "SUB-06",
    description: "Only the first upgrade of an account is announced",
    checks: ["SUB-06: a real card number upgrades a bank-feed subscription in place"],
    deliveries: onEvents(UPDATED, async (delivery, { send }, run) => {
      const { id, state, enrollmentType, bankAccountId } = parseJson(delivery.body);
      const known = mutationState(run, "upgraded", () => new Set<string>());
      const isUpgrade = enrollmentType === "cardholder-single" && state === "reqSCA";
      if (isUpgrade && bankAccountId) known.add(id);
      if (known.size < 2 || !known.has(id) || state !== "reqSCA") await send(delivery);
    }),
  },
  {
    id: "sub/first-change-only",
    requirement: "SUB-09",
    description: "Only the first change of a subscription is announced",
    checks: ["SUB-09: each change of a subscription is announced as updated"],
    deliveries: onEvents(UPDATED, async (delivery, { send }, run) => {
      const { id } = parseJson(delivery.body);
      const known = mutationState(run, "changed", () => new Set<string>());
      if (!known.has(id)) await send(delivery);
      known.add(id);
    }),
  },
  {
    id: "sub/clock-goes-back",
    requirement: "SUB-09",
    description: "updatedAt of a deactivated subscription is its effective date",
    checks: ["SUB-09: each change of a subscription is announced as updated"],
    inside: replaceAnnounceDuring("deactivate", (send, { name, order, body }, { store }, fire) => {
      const subscription = store.find("card-subscriptions", body.id);
      const changed = subscription.body as Json;
      changed.updatedAt = "2020-01-01T00:00:00.000Z";
      store.update(subscription);
      fire();
      send(name, order, changed);
    }),
  },
  {
    id: "sub/clearance-repeated",
    requirement: "SUB-09",
    description: "A second SCA of an active card is announced, though nothing changed",
    checks: ["SUB-09: a verb without effect sends no cardsubscription.updated"],
    inside: replaceRefusal("sca-pass", (work, { subscriptionId }) => {
      const { id, accountId, body } = work.store.find("card-subscriptions", subscriptionId);
      const updatedAt = work.nowAfter(body.updatedAt);
      work.announce(UPDATED, { accountId, resource: id }, { ...body, updatedAt });
      return { subscriptionId: id, cardId: body.cardId };
    }),
  },
  {
    id: "sub/end-toggles",
    requirement: "SUB-05",
    description: "A second end of a subscription silently activates it again",
    checks: ["SUB-05: a repeated verb does not change a subscription's state"],
    inside: replaceRefusal("deactivate", ({ store }, { subscriptionId }) => {
      const subscription = store.find("card-subscriptions", subscriptionId);
      subscription.body = { ...subscription.body, state: "active" };
      store.update(subscription);
      return { subscriptionId, cardId: subscription.body.cardId };
    }),
  },
  {
    id: "sub/upgrade-of-expired-account",
    requirement: "SUB-06",
    description: "The upgrade drops the bank account if its consent has expired",
    checks: ["SUB-06: a real card number upgrades a bank-feed subscription in place"],
    inside: replaceAnnounceDuring("upgrade", (send, { name, order, body }, { store }, fire) => {
      const account = store.find("bank-accounts", body.bankAccountId);
      if (account.internal.state === "active") return send(name, order, body);
      fire();
      const { bankAccountId: _id, _links, ...rest } = body;
      const { bankAccount: _account, ...links } = _links;
      send(name, order, { ...rest, _links: links });
    }),
  },
];
