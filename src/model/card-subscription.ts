import type { components } from "../../generated/types.ts";
import { linkTo } from "./links.ts";
import { pick } from "./pick.ts";
import { type Transition, transitions } from "./state-machine.ts";

type Body = components["schemas"]["CardSubscription"];

export type SubscriptionState = "reqSCA" | "active" | "deactivated";

/** A trigger that creates a subscription. */
export type EnrollmentTrigger = "enroll" | "enroll-in-bulk" | "mint";
/** A trigger that updates a subscription, or is refused. */
export type SubscriptionTrigger = "sca-pass" | "sca-fail" | "deactivate" | "upgrade" | "link-card";

const CREATED = ["cardsubscription.created"] as const;
const UPDATED = ["cardsubscription.updated"] as const;

/**
 * The states of a card subscription. The interface does not show what a failed authentication leads
 * to: here nothing changes, and the cardholder can try again.
 */
export const SUBSCRIPTION_TRANSITIONS = transitions([
  ["enroll", ["new"], "reqSCA", CREATED, "SUB-04"],
  ["enroll-in-bulk", ["new"], "active", CREATED, "SUB-04"],
  ["mint", ["new"], "active", CREATED, "SUB-10"],
  ["sca-pass", ["reqSCA"], "active", UPDATED, "SUB-05"],
  ["sca-fail", ["reqSCA"], "reqSCA", [], "SUB-05"],
  ["deactivate", ["active"], "deactivated", UPDATED, "SUB-05"],
  ["upgrade", ["active"], "reqSCA", UPDATED, "SUB-06"],
  ["link-card", ["reqSCA"], "reqSCA", UPDATED, "SUB-07"],
  ["link-card", ["active"], "active", UPDATED, "SUB-07"],
  ["link-card", ["deactivated"], "deactivated", UPDATED, "SUB-07"],
]) satisfies readonly Transition<SubscriptionState, EnrollmentTrigger | SubscriptionTrigger>[];

/** The enrollment type that each trigger creates. */
export const ENROLLMENT_TYPES = {
  enroll: "cardholder-single",
  "enroll-in-bulk": "network-bulk",
  mint: "bank-feed",
} as const;

/** The fields of a card subscription without its links. */
interface SubscriptionFields
  extends Pick<
    Body,
    | ("id" | "subaccountId" | "cardId" | "enrollmentType")
    | ("customerReferenceId" | "effectiveDate" | "expirationDate" | "createdAt" | "updatedAt")
  > {
  readonly state: string;
  /** null unless the enrollment type is network-bulk (SUB-02). */
  readonly networkBulkFeedId: string | null;
  /** undefined if the card is linked to no bank account (SUB-03). */
  readonly bankAccountId?: string | undefined;
}

/** Builds a card subscription. */
export function subscriptionBody(fields: SubscriptionFields): Body {
  const { id, cardId, networkBulkFeedId: feedId, bankAccountId } = fields;
  return {
    ...pick(fields, "id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"),
    ...(bankAccountId === undefined ? {} : { bankAccountId }),
    ...pick(fields, "customerReferenceId", "effectiveDate", "expirationDate"),
    ...pick(fields, "createdAt", "updatedAt"),
    _links: {
      self: linkTo("card-subscriptions", id),
      card: linkTo("cards", cardId),
      // SUB-02, SUB-03: a link is present if and only if its id is.
      ...(feedId === null ? {} : { networkBulkFeed: linkTo("network-bulk-feeds", feedId) }),
      ...(bankAccountId === undefined ? {} : bankAccountLink(bankAccountId)),
    },
  } as Body;
}

/** SUB-07: a subscription whose card is linked to a bank account. */
export function linkedSubscription(body: Body, bankAccountId: string): Body {
  const _links = { ...body._links, ...bankAccountLink(bankAccountId) };
  return { ...body, bankAccountId, _links } as Body;
}

function bankAccountLink(id: string) {
  return { bankAccount: linkTo("bank-accounts", id) };
}
