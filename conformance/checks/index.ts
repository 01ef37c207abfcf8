import type { Check } from "../check.ts";
import { drivenChecks } from "./driven/index.ts";
import { httpChecks } from "./http/index.ts";
import { webhookChecks } from "./webhooks/index.ts";

/** Every check there is: a folder for how it looks, a file a group of requirements. */
export const checks: readonly Check[] = [...httpChecks, ...drivenChecks, ...webhookChecks];
