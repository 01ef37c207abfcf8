import type { Check } from "../check.ts";
import { accounts } from "./auth/accounts.ts";
import { credentials } from "./auth/credentials.ts";
import { refusals } from "./auth/refused-tokens.ts";
import { tokenEndpoint } from "./auth/token-endpoint.ts";
import { bankTransactions } from "./btx/responses.ts";
import { conventions } from "./conv/responses.ts";
import { endpoints } from "./ep/responses.ts";
import { errors } from "./err/responses.ts";
import { matches } from "./mat/responses.ts";
import { messages } from "./msg/responses.ts";
import { pagination } from "./page/responses.ts";
import { cardSubscriptions } from "./sub/responses.ts";
import { transactions } from "./txn/responses.ts";

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
