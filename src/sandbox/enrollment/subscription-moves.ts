import type { Transition } from "../../model/state-machine.ts";

export type SubscriptionState = "reqSCA" | "active" | "deactivated";
export type SubscriptionTrigger =
  | ("enroll" | "enroll-in-bulk" | "mint")
  | ("sca-pass" | "sca-fail" | "deactivate" | "upgrade" | "link-card");

const CREATED = ["cardsubscription.created"] as const;
const UPDATED = ["cardsubscription.updated"] as const;

/**
 * The states of a card subscription. What a failed authentication leads to is not shown: here it
 * changes nothing, and may be tried again.
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
] as const satisfies readonly Transition<SubscriptionState, SubscriptionTrigger>[];
