import type { components } from "../../generated/types.ts";
import { linkTo } from "./links.ts";
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

/** SUB-07: a subscription whose card is linked to a bank account. */
export function linkedSubscription(body: Body, bankAccountId: string): Body {
  const _links = { ...body._links, bankAccount: linkTo("bank-accounts", bankAccountId) };
  return { ...body, bankAccountId, _links } as Body;
}
