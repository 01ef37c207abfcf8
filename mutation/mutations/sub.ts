import { changeSubscriptionTransition, replaceAnnounce, replaceVerb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEvents,
  changeEventsNamed,
  changeResource,
  changeResponses,
  dropEvents,
  type Json,
  linkFromCards,
  mutationState,
  OTHER_ID,
  onEvents,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;

const isUpgraded = (body: Json) =>
  body.enrollmentType === "cardholder-single" && body.state === "reqSCA" && body.bankAccountId;

/** Whether a card of the bank account is in reqSCA. */
async function isWaiting(
  bankAccountId: string,
  { sandbox }: Parameters<NonNullable<Mutation["inside"]>>[0],
) {
  const subscriptions = await sandbox.resources("card-subscriptions", { limit: 10_000 });
  return subscriptions
    .map(({ body }) => body as Json)
    .some((one) => one.bankAccountId === bankAccountId && one.state === "reqSCA");
}

export const sub: readonly Mutation[] = [
  {
    id: "sub/type-upper-case",
    requirement: "SUB-01",
    description: "An enum is serialized by the names of its constants",
    ...changeResource("card-subscriptions", (body) => {
      body.enrollmentType = body.enrollmentType.toUpperCase().replaceAll("-", "_");
    }),
  },
  {
    id: "sub/no-reference",
    requirement: "SUB-01",
    description: "customerReferenceId is omitted if the caller did not set it",
    ...changeResource("card-subscriptions", (body) => {
      if (body.customerReferenceId === null) delete body.customerReferenceId;
    }),
  },
  {
    id: "sub/no-expiration",
    requirement: "SUB-01",
    description: "A subscription that does not expire has no expirationDate",
    ...changeResource("card-subscriptions", (body) => {
      delete body.expirationDate;
    }),
  },
  {
    id: "sub/no-feed-id",
    requirement: "SUB-02",
    description: "Nulls are left out: networkBulkFeedId is not there",
    ...changeResource("card-subscriptions", (body) => {
      if (body.networkBulkFeedId === null) delete body.networkBulkFeedId;
    }),
  },
  {
    id: "sub/feed-link-null",
    requirement: "SUB-02",
    description: "Every subscription has a networkBulkFeed link, even to null",
    ...changeResource("card-subscriptions", (body) => {
      body._links.networkBulkFeed ??= { href: "/network-bulk-feeds/null" };
    }),
  },
  {
    id: "sub/bulk-without-link",
    requirement: "SUB-02",
    description: "A bulk subscription has its feed's id, but no link",
    ...changeResource("card-subscriptions", (body) => {
      delete body._links.networkBulkFeed;
    }),
  },
  {
    id: "sub/bulk-without-feed",
    requirement: "SUB-02",
    description: "The event of a bulk enrollment is sent before the feed is assigned",
    deliveries: changeEventsNamed(CREATED, (body) => {
      body.networkBulkFeedId = null;
      delete body._links.networkBulkFeed;
    }),
  },
  {
    id: "sub/bank-account-null",
    requirement: "SUB-03",
    description: "bankAccountId is null if there is none, instead of absent",
    ...changeResource("card-subscriptions", (body) => {
      body.bankAccountId ??= null;
    }),
  },
  {
    id: "sub/no-bank-account-link",
    requirement: "SUB-03",
    description: "bankAccountId was added without its link",
    ...changeResource("card-subscriptions", (body) => {
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/minted-without-account",
    requirement: "SUB-03",
    description: "A created card is announced before it is linked to its account",
    deliveries: changeEventsNamed(CREATED, (body) => {
      if (body.enrollmentType !== "bank-feed") return;
      delete body.bankAccountId;
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/single-begins-active",
    requirement: "SUB-04",
    description: "A test flag skips SCA",
    checks: ["SUB-04: a cardholder-single enrollment starts in reqSCA and is announced"],
    inside: changeSubscriptionTransition("enroll", { to: "active" }),
  },
  {
    id: "sub/bulk-begins-in-sca",
    requirement: "SUB-04",
    description: "Every subscription starts in reqSCA, even bulk ones",
    checks: ["SUB-04: a network-bulk enrollment starts in active and is announced"],
    inside: changeSubscriptionTransition("enroll-in-bulk", { to: "reqSCA" }),
  },
  {
    id: "sub/bulk-unannounced",
    requirement: "SUB-04",
    description: "Bulk enrollments are inserted in a batch that sends no events",
    inside: changeSubscriptionTransition("enroll-in-bulk", { sends: [] }),
  },
  {
    id: "sub/announced-when-cleared",
    requirement: "SUB-04",
    description: "cardsubscription.created is sent once SCA is cleared",
    deliveries: onEvents([CREATED, UPDATED], async (delivery, { send }, run) => {
      const body = parseJson(delivery.body);
      const waiting = mutationState(run, "waiting", () => new Set<string>());
      if (delivery.name === CREATED && body.state === "reqSCA") return void waiting.add(body.id);
      const isFirst = delivery.name === UPDATED && waiting.delete(body.id);
      await send(isFirst ? replaceEvent(delivery, CREATED, body) : delivery);
    }),
  },
  {
    id: "sub/reactivated",
    requirement: "SUB-05",
    description: "A nightly sync reactivates deactivated subscriptions",
    deliveries: sendAfter(UPDATED, (body) => {
      if (body.state !== "deactivated") return undefined;
      return { name: UPDATED, body: { ...body, state: "active" } };
    }),
  },
  {
    id: "sub/deactivated-in-sca",
    requirement: "SUB-05",
    description: "A subscription is deactivated when SCA is cleared",
    inside: changeSubscriptionTransition("sca-pass", { to: "deactivated" }),
  },
  {
    id: "sub/back-to-sca",
    requirement: "SUB-05",
    description: "A deactivated subscription returns to reqSCA",
    checks: ["SUB-05: a driven subscription changes state only as specified"],
    inside: changeSubscriptionTransition("deactivate", { to: "reqSCA" }),
  },
  {
    id: "sub/upgrade-creates",
    requirement: "SUB-06",
    description: "An upgrade is announced as a second cardsubscription.created",
    deliveries: onEvents(UPDATED, async (delivery, { send }) => {
      const body = parseJson(delivery.body);
      await send(isUpgraded(body) ? replaceEvent(delivery, CREATED, body) : delivery);
    }),
  },
  {
    id: "sub/upgrade-creates-too",
    requirement: "SUB-06",
    description: "An upgrade sends cardsubscription.created in addition to updated",
    checks: ["SUB-06: a real card number upgrades a bank-feed subscription in place"],
    deliveries: sendAfter(UPDATED, (body) => {
      return isUpgraded(body) ? { name: CREATED, body } : undefined;
    }),
  },
  {
    id: "sub/upgrade-keeps-type",
    requirement: "SUB-06",
    description: "An upgrade requires SCA, but the type stays bank-feed",
    ...upgradedAs((body) => {
      body.enrollmentType = "bank-feed";
    }),
  },
  {
    id: "sub/upgrade-without-sca",
    requirement: "SUB-06",
    description: "An upgraded card stays active without SCA",
    inside: changeSubscriptionTransition("upgrade", { to: "active" }),
  },
  {
    id: "sub/upgrade-loses-account",
    requirement: "SUB-06",
    description: "An upgrade removes the subscription's bank account",
    ...upgradedAs((body) => {
      delete body.bankAccountId;
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/upgrade-unannounced",
    requirement: "SUB-06",
    description: "An upgrade is not announced until SCA is cleared",
    inside: changeSubscriptionTransition("upgrade", { sends: [] }),
  },
  {
    id: "sub/link-changes-type",
    requirement: "SUB-07",
    description: "Linking a card changes its type to bank-feed",
    checks: ["SUB-07: a card that is linked later gains only its bank account"],
    ...linkedAs((body) => {
      body.enrollmentType = "bank-feed";
    }),
  },
  {
    id: "sub/link-asks-for-sca",
    requirement: "SUB-07",
    description: "Linking a card requires SCA again",
    inside: changeSubscriptionTransition("link-card", { to: "reqSCA" }),
  },
  {
    id: "sub/link-unannounced",
    requirement: "SUB-07",
    description: "Linking a card is not announced",
    inside: changeSubscriptionTransition("link-card", { sends: [] }),
  },
  {
    id: "sub/link-announced-without-account",
    requirement: "SUB-07",
    description: "The event for a linked card is built before the link is saved",
    deliveries: changeEventsNamed(UPDATED, (body, { run }) => {
      const known = mutationState(run, "linked", () => new Set<string>());
      if (body.enrollmentType === "bank-feed" || !body.bankAccountId) return;
      if (known.has(body.id) || isUpgraded(body)) return;
      known.add(body.id);
      delete body.bankAccountId;
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/sca-stops-postings",
    requirement: "SUB-08",
    description: "While a card is in reqSCA, its account's bank transactions are not announced",
    checks: ["SUB-08: bank transactions sync and are announced in reqSCA"],
    deliveries: dropEvents("banktransaction.created", ({ bankAccountId }, run) =>
      isWaiting(bankAccountId, run),
    ),
  },
  {
    id: "sub/sca-stops-matches",
    requirement: "SUB-08",
    description: "While a card is in reqSCA, its matches are not announced",
    checks: ["SUB-08: bank transactions match and are announced in reqSCA"],
    deliveries: dropEvents("transaction.match.created", ({ matches }, run) =>
      isWaiting(matches[0].bankAccountId, run),
    ),
  },
  {
    id: "sub/deactivation-unannounced",
    requirement: "SUB-09",
    description: "The deactivation of a subscription is not announced",
    inside: changeSubscriptionTransition("deactivate", { sends: [] }),
  },
  {
    id: "sub/updated-first",
    requirement: "SUB-09",
    description: "A database trigger sends updated on insert, before created",
    checks: ["SUB-09: an immediate change is announced after the subscription's creation"],
    deliveries: onEvents(CREATED, async (delivery, { send }) => {
      await send(replaceEvent(delivery, UPDATED, parseJson(delivery.body)));
      await send(delivery);
    }),
  },
  {
    id: "sub/created-for-each-change",
    requirement: "SUB-09",
    description: "Each change is announced as cardsubscription.created",
    checks: ["SUB-09: a driven subscription is announced as created once, then as updated"],
    deliveries: onEvents(UPDATED, async (delivery, { send }) => {
      await send(replaceEvent(delivery, CREATED, parseJson(delivery.body)));
    }),
  },
  {
    id: "sub/update-as-patch",
    requirement: "SUB-09",
    description: "cardsubscription.updated has only the changed fields",
    deliveries: changeEvents(
      "card-subscriptions",
      ({ id, state, updatedAt, _links, ...body }, { event }) =>
        event === UPDATED
          ? { id, state, updatedAt, _links }
          : { id, state, updatedAt, _links, ...body },
    ),
  },
  {
    id: "sub/minted-as-update",
    requirement: "SUB-10",
    description: "A created bank-feed card is announced by cardsubscription.updated",
    deliveries: onEvents(CREATED, async (delivery, { send }) => {
      const body = parseJson(delivery.body);
      const isMinted = body.enrollmentType === "bank-feed";
      await send(isMinted ? replaceEvent(delivery, UPDATED, body) : delivery);
    }),
  },
  {
    id: "sub/update-changes-type",
    requirement: "SUB-07",
    description: "Updates of a linked card have the type bank-feed",
    checks: [
      "SUB-07: a card that is linked later gains only its bank account",
      "SUB-07: an enrolled card linked by a completion gains only its bank account",
    ],
    deliveries: changeEventsNamed("cardsubscription.updated", (body) => {
      if (body.bankAccountId) body.enrollmentType = "bank-feed";
    }),
  },
  {
    id: "sub/created-and-updated",
    requirement: "SUB-10",
    description: "A created card also sends cardsubscription.updated",
    checks: ["SUB-10: a bank-derived card is enrolled by cardsubscription.created only"],
    deliveries: sendAfter("cardsubscription.created", (body) => ({
      name: "cardsubscription.updated",
      body,
    })),
  },
  {
    id: "sub/initial-states-swapped",
    requirement: "SUB-04",
    description: "The initial states of the enrollment types are swapped",
    checks: [
      "SUB-04: a cardholder-single enrollment starts in reqSCA and is announced",
      "SUB-04: a network-bulk enrollment starts in active and is announced",
      "SUB-04: a bank-feed enrollment starts in active and is announced",
    ],
    deliveries: changeEventsNamed("cardsubscription.created", (body) => {
      body.state = body.state === "active" ? "reqSCA" : "active";
    }),
  },
  {
    id: "sub/old-format-linked",
    requirement: "SUB-01",
    description: "Cards link to subscriptions in the format of an old version",
    checks: [
      "SUB-01: a card subscription carries the fields of its kind",
      "SUB-02: a network-bulk one has its feed's id and link",
      "SUB-02: one of another kind has neither feed id nor link",
      "SUB-03: bankAccountId and its link are there together",
    ],
    http: linkFromCards(
      changeResponses("card-subscriptions", (body) => {
        delete body.state;
        delete body._links.bankAccount;
        delete body._links.networkBulkFeed;
        body.networkBulkFeedId ??= OTHER_ID;
      }),
    ),
  },
];

/** Changes upgraded subscriptions in the store and in events. */
function upgradedAs(change: (body: Json) => void): Pick<Mutation, "inside"> {
  return changedBy("upgrade", change);
}

/** Changes linked subscriptions in the store and in events. */
function linkedAs(change: (body: Json) => void): Pick<Mutation, "inside"> {
  return changedBy("link-card", change);
}

function changedBy(
  verb: "upgrade" | "link-card",
  change: (body: Json) => void,
): Pick<Mutation, "inside"> {
  return {
    inside: (run) => {
      let isUnderWay = false;
      const restores = [
        replaceVerb(verb, (original, work, params) => {
          isUnderWay = true;
          try {
            return (original as Json)(work, params);
          } finally {
            isUnderWay = false;
          }
        })(run),
        replaceAnnounce((send, { name, order, body }, { store }, fire) => {
          if (!isUnderWay || name !== UPDATED) return send(name, order, body);
          const subscription = store.find("card-subscriptions", body.id);
          change(subscription.body);
          store.update(subscription);
          send(name, order, subscription.body);
          fire();
        })(run),
      ];
      return () => {
        for (const restore of restores.reverse()) restore();
      };
    },
  };
}
