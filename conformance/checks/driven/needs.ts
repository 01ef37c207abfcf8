import type { Need } from "../../means.ts";

/** What the stories take, each with what comes before it. */

export const ENROLLED: readonly Need[] = ["verb:enroll", "deliveries"];

export const CLEARED: readonly Need[] = ["verb:clearSca", ...ENROLLED];

export const CONNECTED: readonly Need[] = ["verb:startLink", "verb:completeLink", "deliveries"];

export const LINKED: readonly Need[] = [...CLEARED, "verb:startLink", "verb:completeLink"];

export const AUTHORIZED: readonly Need[] = [...LINKED, "verb:authorize"];

export const POSTED: readonly Need[] = [...AUTHORIZED, "verb:postAtBank"];

export const STANDALONE: readonly Need[] = [...LINKED, "verb:postAtBank"];

export const UPGRADED: readonly Need[] = [...LINKED, "verb:upgrade"];
