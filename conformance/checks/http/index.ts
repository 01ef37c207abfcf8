import type { Check } from "../../check.ts";
import { authentication } from "./auth.ts";
import { bankTransactions } from "./btx.ts";
import { conventions } from "./conv.ts";
import { endpoints } from "./ep.ts";
import { errors } from "./err.ts";
import { matches } from "./mat.ts";
import { messages } from "./msg.ts";
import { pagination } from "./page.ts";
import { cardSubscriptions } from "./sub.ts";
import { transactions } from "./txn.ts";

/** What needs nothing but a base URL and credentials, a file a group. */
export const httpChecks: readonly Check[] = [
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
