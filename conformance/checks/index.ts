import type { Check } from "../check.ts";
import { httpChecks } from "./http.ts";
import { drivenChecks } from "./scenarios.ts";
import { webhookChecks } from "./webhooks.ts";

/** All checks. Each folder contains one group of requirements. */
export const checks: readonly Check[] = [...httpChecks, ...drivenChecks, ...webhookChecks];
