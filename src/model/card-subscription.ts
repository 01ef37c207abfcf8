import type { components } from "../../generated/types.ts";
import { linkTo } from "./links.ts";
import type { Transition } from "./state-machine.ts";

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
export const SUBSCRIPTION_TRANSITIONS = [
  { trigger: "enroll", from: ["new"], to: "reqSCA", sends: CREATED, requirement: "SUB-04" },
  { trigger: "enroll-in-bulk", from: ["new"], to: "active", sends: CREATED, requirement: "SUB-04" },
  { trigger: "mint", from: ["new"], to: "active", sends: CREATED, requirement: "SUB-10" },
  { trigger: "sca-pass", from: ["reqSCA"], to: "active", sends: UPDATED, requirement: "SUB-05" },
  { trigger: "sca-fail", from: ["reqSCA"], to: "reqSCA", sends: [], requirement: "SUB-05" },
  {
    trigger: "deactivate",
    from: ["active"],
    to: "deactivated",
    sends: UPDATED,
    requirement: "SUB-05",
  },
  { trigger: "upgrade", from: ["active"], to: "reqSCA", sends: UPDATED, requirement: "SUB-06" },
  { trigger: "link-card", from: ["reqSCA"], to: "reqSCA", sends: UPDATED, requirement: "SUB-07" },
  { trigger: "link-card", from: ["active"], to: "active", sends: UPDATED, requirement: "SUB-07" },
  {
    trigger: "link-card",
    from: ["deactivated"],
    to: "deactivated",
    sends: UPDATED,
    requirement: "SUB-07",
  },
] as const satisfies readonly Transition<
  SubscriptionState,
  EnrollmentTrigger | SubscriptionTrigger
>[];

/** The enrollment type that each trigger creates. */
export const ENROLLMENT_TYPES = {
  enroll: "cardholder-single",
  "enroll-in-bulk": "network-bulk",
  mint: "bank-feed",
} as const;

/** The fields of a card subscription without its links. */
export interface SubscriptionFields
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
    id,
    subaccountId: fields.subaccountId,
    cardId,
    enrollmentType: fields.enrollmentType,
    state: fields.state,
    networkBulkFeedId: feedId,
    ...(bankAccountId === undefined ? {} : { bankAccountId }),
    customerReferenceId: fields.customerReferenceId,
    effectiveDate: fields.effectiveDate,
    expirationDate: fields.expirationDate,
    createdAt: fields.createdAt,
    updatedAt: fields.updatedAt,
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
