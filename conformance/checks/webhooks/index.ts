import type { Check } from "../../check.ts";
import { agreements } from "./agreements.ts";
import { bankAccounts } from "./bac.ts";
import { bankLinks } from "./blk.ts";
import { bankTransactions } from "./btx.ts";
import { conventions } from "./conv.ts";
import { enrichments } from "./enr.ts";
import { endpoints } from "./ep.ts";
import { ledTo } from "./led-to.ts";
import { matches } from "./mat.ts";
import { messages } from "./msg.ts";
import { bulkFeeds } from "./nbf.ts";
import { settling } from "./settling.ts";
import { cardSubscriptions } from "./sub.ts";
import { transactions } from "./txn.ts";
import { webhooks } from "./whk.ts";

/** What needs deliveries, by themselves and against the API afterwards, a file a group. */
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
  ...ledTo,
  ...settling,
  ...agreements,
];
