import { changeSubscriptionTransition } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  changeResource,
  changeResponses,
  linkFromCards,
  mutationState,
  OTHER_ID,
  onEvents,
  replaceEvent,
} from "../rewrite.ts";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;

/** Mutations of the fields of subscriptions, and of how they start. */
export const sub: readonly Mutation[] = [
  {
    id: "sub/type-upper-case",
    requirement: "SUB-01",
    description: "An enum is serialized by the names of its constants",
    checks: ["SUB-01: every body"],
    ...changeResource("card-subscriptions", (body) => {
      body.enrollmentType = body.enrollmentType.toUpperCase().replaceAll("-", "_");
    }),
  },
  {
    id: "sub/no-reference",
    requirement: "SUB-01",
    description: "customerReferenceId is omitted if the caller did not set it",
    checks: ["SUB-01: every body"],
    ...changeResource("card-subscriptions", (body) => {
      if (body.customerReferenceId === null) delete body.customerReferenceId;
    }),
  },
  {
    id: "sub/no-expiration",
    requirement: "SUB-01",
    description: "A subscription that does not expire has no expirationDate",
    checks: ["SUB-01: every body"],
    ...changeResource("card-subscriptions", (body) => {
      delete body.expirationDate;
    }),
  },
  {
    id: "sub/no-feed-id",
    requirement: "SUB-02",
    description: "Nulls are left out: networkBulkFeedId is not there",
    checks: ["SUB-02: every body"],
    ...changeResource("card-subscriptions", (body) => {
      if (body.networkBulkFeedId === null) delete body.networkBulkFeedId;
    }),
  },
  {
    id: "sub/feed-link-null",
    requirement: "SUB-02",
    description: "Every subscription has a networkBulkFeed link, even to null",
    checks: ["SUB-02: every body"],
    ...changeResource("card-subscriptions", (body) => {
      body._links.networkBulkFeed ??= { href: "/network-bulk-feeds/null" };
    }),
  },
  {
    id: "sub/bulk-without-link",
    requirement: "SUB-02",
    description: "A bulk subscription has its feed's id, but no link",
    checks: ["SUB-02: every body"],
    ...changeResource("card-subscriptions", (body) => {
      delete body._links.networkBulkFeed;
    }),
  },
  {
    id: "sub/bulk-without-feed",
    requirement: "SUB-02",
    description: "The event of a bulk enrollment is sent before the feed is assigned",
    checks: ["SUB-02: every body"],
    deliveries: changeEventsNamed(CREATED, (body) => {
      body.networkBulkFeedId = null;
      delete body._links.networkBulkFeed;
    }),
  },
  {
    id: "sub/bank-account-null",
    requirement: "SUB-03",
    description: "bankAccountId is null if there is none, instead of absent",
    checks: ["SUB-03: every body"],
    ...changeResource("card-subscriptions", (body) => {
      body.bankAccountId ??= null;
    }),
  },
  {
    id: "sub/no-bank-account-link",
    requirement: "SUB-03",
    description: "bankAccountId was added without its link",
    checks: ["SUB-03: every body"],
    ...changeResource("card-subscriptions", (body) => {
      delete body._links.bankAccount;
    }),
  },
  {
    id: "sub/minted-without-account",
    requirement: "SUB-03",
    description: "A created card is announced before it is linked to its account",
    checks: ["SUB-03: every body"],
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
    checks: ["SUB-04: a network-bulk enrollment starts in active and is announced"],
    inside: changeSubscriptionTransition("enroll-in-bulk", { sends: [] }),
  },
  {
    id: "sub/announced-when-cleared",
    requirement: "SUB-04",
    description: "cardsubscription.created is sent once SCA is cleared",
    checks: [
      "SUB-04: a cardholder-single enrollment starts in reqSCA and is announced",
      "SUB-04: no delivery contradicts another",
    ],
    deliveries: onEvents([CREATED, UPDATED], async (delivery, { send }, run) => {
      const body = parseJson(delivery.body);
      const waiting = mutationState(run, "waiting", () => new Set<string>());
      if (delivery.name === CREATED && body.state === "reqSCA") return void waiting.add(body.id);
      const isFirst = delivery.name === UPDATED && waiting.delete(body.id);
      await send(isFirst ? replaceEvent(delivery, CREATED, body) : delivery);
    }),
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
    checks: ["SUB-01: every body", "SUB-02: every body", "SUB-03: every body"],
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
