import type { Check } from "../../check.ts";

/** What needs deliveries, by themselves and against the API afterwards, a file a group. */
export const webhookChecks: readonly Check[] = [];
