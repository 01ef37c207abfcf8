import type { Check } from "../check.ts";
import { authentication, errors } from "./auth.ts";
import { bankTransactions } from "./btx.ts";
import { conventions } from "./conv.ts";
import { endpoints } from "./ep.ts";
import { matches } from "./mat.ts";
import { messages } from "./msg.ts";
import { pagination } from "./page.ts";
import { cardSubscriptions } from "./sub.ts";
import { transactions } from "./txn.ts";

/** Every check there is, a file a group. */
export const checks: readonly Check[] = [
  ...conventions,
  ...authentication,
  ...endpoints,
  ...pagination,
  ...transactions,
  ...messages,
  ...cardSubscriptions,
  ...bankTransactions,
  ...matches,
  ...errors,
];
