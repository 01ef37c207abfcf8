import type { Check } from "../../check.ts";
import { rejects, wrongCredentials } from "../auth/credentials.ts";
import { refusing, requireOwnToken, TOKENLESS } from "../auth/refused-tokens.ts";

export const errors: readonly Check[] = [
  // ERR-01: Failed authentication gets 401, on the token endpoint and on every API endpoint.
  refusing({
    ...{ claims: ["ERR-01.api"], title: "an API request without a token is rejected with 401" },
    ...TOKENLESS,
  }),
  refusing({
    ...{
      claims: ["ERR-01.api"],
      title: "an API request with an invalid token is rejected with 401",
    },
    ...{ requires: ["state"], authorization: "Bearer $TXFEED_TOKEN_OPAQUE" },
    prepare: requireOwnToken,
  }),
  ...Object.entries(wrongCredentials).map(([field, request]) =>
    rejects("ERR-01.token-endpoint", `a wrong ${field}`, request),
  ),
];
