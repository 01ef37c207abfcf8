import type { Check } from "../check.ts";
import { authentication, errors } from "./auth.ts";
import { bankAccounts } from "./bac.ts";
import { bankLinks } from "./blk.ts";
import { bankTransactions } from "./btx.ts";
import { conventions } from "./conv.ts";
import { enrichment } from "./enr.ts";
import { endpoints } from "./ep.ts";
import { matches } from "./mat.ts";
import { messages } from "./msg.ts";
import { bulkFeeds } from "./nbf.ts";
import { pagination } from "./page.ts";
import { cardSubscriptions } from "./sub.ts";
import { transactions } from "./txn.ts";
import { webhooks } from "./whk.ts";

/** Every check there is, a file a group. */
export const checks: readonly Check[] = [
  ...conventions,
  ...authentication,
  ...endpoints,
  ...pagination,
  ...transactions,
  ...messages,
  ...cardSubscriptions,
  ...bulkFeeds,
  ...bankLinks,
  ...bankAccounts,
  ...bankTransactions,
  ...matches,
  ...enrichment,
  ...webhooks,
  ...errors,
];
