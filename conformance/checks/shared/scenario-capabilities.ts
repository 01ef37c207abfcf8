import type { Capability } from "../../run/capabilities.ts";

// The capabilities that scenarios require, including those of their earlier steps.

export const ENROLLED: readonly Capability[] = ["verb:enroll", "deliveries"];

export const CLEARED: readonly Capability[] = ["verb:clearSca", ...ENROLLED];

export const CONNECTED: readonly Capability[] = [
  "verb:startLink",
  "verb:completeLink",
  "deliveries",
];

export const LINKED: readonly Capability[] = [...CLEARED, "verb:startLink", "verb:completeLink"];

export const AUTHORIZED: readonly Capability[] = [...LINKED, "verb:authorize"];

export const POSTED: readonly Capability[] = [...AUTHORIZED, "verb:postAtBank"];

export const STANDALONE: readonly Capability[] = [...LINKED, "verb:postAtBank"];

export const UPGRADED: readonly Capability[] = [...LINKED, "verb:upgrade"];

export const REMOVED: readonly Capability[] = [...POSTED, "verb:removeAtProvider"];
