import type { Check } from "../check.ts";
import { bankAccounts } from "./bac/deliveries.ts";
import { bankLinks } from "./blk/deliveries.ts";
import { bankTransactions } from "./btx/deliveries.ts";
import { conventions } from "./conv/deliveries.ts";
import { enrichments } from "./enr/deliveries.ts";
import { endpoints } from "./ep/deliveries.ts";
import { matches } from "./mat/deliveries.ts";
import { messages } from "./msg/deliveries.ts";
import { bulkFeeds } from "./nbf/deliveries.ts";
import { agreements } from "./shared/agreements.ts";
import { linkedResources } from "./shared/linked-resources.ts";
import { cardSubscriptions } from "./sub/deliveries.ts";
import { transactions } from "./txn/deliveries.ts";
import { settlement } from "./txn/settlement.ts";
import { webhooks } from "./whk/deliveries.ts";

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
