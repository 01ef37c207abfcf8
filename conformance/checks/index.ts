import type { Check } from "../check.ts";
import { drivenChecks } from "./driven.ts";
import { httpChecks } from "./http.ts";
import { webhookChecks } from "./webhooks.ts";

/** Every check. Each folder here is one group of requirements. */
export const checks: readonly Check[] = [...httpChecks, ...drivenChecks, ...webhookChecks];
