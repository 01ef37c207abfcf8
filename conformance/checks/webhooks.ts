import type { Check } from "../check.ts";
import { bankAccounts } from "./bac/webhooks.ts";
import { bankLinks } from "./blk/webhooks.ts";
import { bankTransactions } from "./btx/webhooks.ts";
import { conventions } from "./conv/webhooks.ts";
import { enrichments } from "./enr/webhooks.ts";
import { endpoints } from "./ep/webhooks.ts";
import { matches } from "./mat/webhooks.ts";
import { messages } from "./msg/webhooks.ts";
import { bulkFeeds } from "./nbf/webhooks.ts";
import { agreements } from "./shared/agreements.ts";
import { linkedResources } from "./shared/linked-resources.ts";
import { cardSubscriptions } from "./sub/webhooks.ts";
import { settlement } from "./txn/settlement.ts";
import { transactions } from "./txn/webhooks.ts";
import { webhooks } from "./whk/webhooks.ts";

/** Checks of deliveries: individually, in sequence, and compared with the API. */
export const webhookChecks: readonly Check[] = [
  ...webhooks,
  ...conventions,
  ...transactions,
  ...messages,
  ...cardSubscriptions,
  ...bulkFeeds,
  ...bankLinks,
  ...bankAccounts,
  ...bankTransactions,
  ...matches,
  ...enrichments,
  ...endpoints,
  ...linkedResources,
  ...settlement,
  ...agreements,
];
