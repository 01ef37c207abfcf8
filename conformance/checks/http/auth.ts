import type { Check } from "../../check.ts";
import { accounts } from "./auth-accounts.ts";
import { credentials } from "./auth-credentials.ts";
import { tokenEndpoint } from "./auth-token.ts";
import { refusals } from "./auth-tokens-refused.ts";

export const authentication: readonly Check[] = [
  ...tokenEndpoint,
  ...credentials,
  ...refusals,
  ...accounts,
];
