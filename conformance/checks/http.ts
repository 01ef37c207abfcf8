import type { Check } from "../check.ts";
import { accounts } from "./auth/accounts.ts";
import { credentials } from "./auth/credentials.ts";
import { refusals } from "./auth/refused-tokens.ts";
import { tokenEndpoint } from "./auth/token-endpoint.ts";
import { bankTransactions } from "./btx/http.ts";
import { conventions } from "./conv/http.ts";
import { endpoints } from "./ep/http.ts";
import { errors } from "./err/http.ts";
import { matches } from "./mat/http.ts";
import { messages } from "./msg/http.ts";
import { pagination } from "./page/http.ts";
import { cardSubscriptions } from "./sub/http.ts";
import { transactions } from "./txn/http.ts";

/** Checks of responses. They need only a base URL and credentials. */
export const httpChecks: readonly Check[] = [
  ...conventions,
  ...tokenEndpoint,
  ...credentials,
  ...refusals,
  ...accounts,
  ...endpoints,
  ...pagination,
  ...transactions,
  ...messages,
  ...cardSubscriptions,
  ...bankTransactions,
  ...matches,
  ...errors,
];
