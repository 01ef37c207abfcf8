import type { ClaimId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { once } from "../../assert.ts";
import type { Breach, Check, Session } from "../../check.ts";
import { UNKNOWN_ID } from "../../observe/operations.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { PREFIX, type TokenRequestOptions } from "../../wire/tokens.ts";

const account = (accountId: string) => ({ accountId });
const id = (value: string | undefined) => ({ form: { client_id: value } });
const secret = (value: string | undefined) => ({ form: { client_secret: value } });

/** Token requests with one wrong field, which also decide ERR-01. */
export const wrongCredentials = {
  account: account(UNKNOWN_ID),
  clientId: id(UNKNOWN_ID),
  clientSecret: secret(UNKNOWN_ID),
} as const satisfies Record<string, TokenRequestOptions>;

/** What gets 401: the claim, what is wrong with a token request, and the request. */
const REFUSED: readonly (readonly [ClaimId, what: string, TokenRequestOptions])[] = [
  // AUTH-04: A wrong account id in the token URL gets 401.
  ["AUTH-04.unknown-account", "a wrong account id", wrongCredentials.account],
  ...nearMisses("AUTH-04.unknown-account", "account id", "ACCOUNT_ID", account),
  ["AUTH-04.unknown-account", "the SDK client with a wrong account id", sdk(account(UNKNOWN_ID))],
  ["AUTH-04.other-account", "another account's account id", account("$TXFEED_SECOND_ACCOUNT_ID")],
  // AUTH-05: A wrong client_id gets 401.
  ["AUTH-05.unknown-client", "a wrong client_id", wrongCredentials.clientId],
  ...nearMisses("AUTH-05.unknown-client", "client_id", "CLIENT_ID", id),
  [
    "AUTH-05.other-client",
    "the SDK client_id with the API client_secret",
    id("$TXFEED_SDK_CLIENT_ID"),
  ],
  ["AUTH-05.other-client", "another account's client_id", id("$TXFEED_SECOND_CLIENT_ID")],
  // AUTH-06: A wrong client_secret gets 401.
  ["AUTH-06.unknown-secret", "a wrong client_secret", wrongCredentials.clientSecret],
  ...nearMisses("AUTH-06.unknown-secret", "client_secret", "CLIENT_SECRET", secret),
  [
    "AUTH-06.unknown-secret",
    "the client_secret with swapped case",
    secret("$TXFEED_CLIENT_SECRET_SWAPPED"),
  ],
  ["AUTH-06.unknown-secret", "a wrong client_secret of the SDK client", sdk(secret(UNKNOWN_ID))],
  [
    "AUTH-06.other-secret",
    "the API client_id with the SDK client_secret",
    secret("$TXFEED_SDK_CLIENT_SECRET"),
  ],
  [
    "AUTH-06.other-secret",
    "another account's client_secret",
    secret("$TXFEED_SECOND_CLIENT_SECRET"),
  ],
];

function sdk(request: TokenRequestOptions): TokenRequestOptions {
  return { identity: "sdk", ...request };
}

/** A credential is compared completely. */
function nearMisses(
  claim: ClaimId,
  name: string,
  variable: string,
  requestWith: (value: string) => TokenRequestOptions,
) {
  return [
    [claim, `the ${name} without its last character`, requestWith(`${PREFIX.own}${variable}_CUT`)],
    [claim, `the ${name} with one more character`, requestWith(`${PREFIX.own}${variable}_LONGER`)],
  ] as const;
}

/** What gets no token, with any status: AUTH-05 and AUTH-06 leave missing fields open. */
const TOKENLESS: typeof REFUSED = [
  ["AUTH-05.unknown-client", "an empty client_id", id("")],
  ["AUTH-05.unknown-client", "a request without client_id", id(undefined)],
  ["AUTH-06.unknown-secret", "an empty client_secret", secret("")],
  ["AUTH-06.unknown-secret", "a request without client_secret", secret(undefined)],
];

export const credentials: readonly Check[] = [
  ...REFUSED.map(([claim, what, request]) => rejects(claim, what, request)),
  ...TOKENLESS.map(([claim, what, request]) =>
    checkOf(claim, `${what} gets no token`, request, tokenIn),
  ),
];

/** Creates a check that a token request gets 401. Checks with the same request share it. */
export function rejects(claim: ClaimId, what: string, request: TokenRequestOptions): Check {
  return checkOf(claim, `${what} is rejected with 401`, request, unauthorized);
}

function checkOf(
  claim: ClaimId,
  title: string,
  request: TokenRequestOptions,
  find: (exchange: Exchange) => readonly Breach[],
): Check {
  const { identity, ...fields } = request;
  const others = /\$TXFEED_(SDK|SECOND)_/.exec(JSON.stringify(fields))?.[1];
  return {
    claims: [claim],
    title,
    requires: [
      "state",
      ...(identity === "sdk" || others === "SDK" ? (["sdkCredentials"] as const) : []),
      ...(others === "SECOND" ? (["secondAccount"] as const) : []),
    ],
    run: async (session) => {
      // Credentials of two clients are combined.
      if (others !== undefined && !session.capabilities.credentialsDiffer) {
        return session.skip("two of the given credentials are the same");
      }
      return once(find(await exchangeOnce(session, request)));
    },
  };
}

function exchangeOnce(session: Session, request: TokenRequestOptions): Promise<Exchange> {
  const { form, ...others } = request;
  // A field that is undefined is left out of the request.
  const fields = Object.entries(form ?? {}).map(([name, value]) => `${name} ${value}`);
  return session.share(`token request ${JSON.stringify([others, fields])}`, (shared) =>
    shared.exchangeToken(request),
  );
}

/** Checks that the response is 401, as for every failed authentication (ERR-01). */
export function unauthorized(exchange: Exchange): Breach[] {
  if (exchange.response?.status === 401) return [];
  return [{ expected: "401", actual: outcomeOf(exchange), evidence: [exchange] }];
}

function tokenIn(exchange: Exchange): Breach[] {
  const { response } = exchange;
  if (!response) {
    const expected = "a response without a token";
    return [{ expected, actual: outcomeOf(exchange), evidence: [exchange] }];
  }
  if (memberOf(response.json, "access_token") === undefined) return [];
  return [{ path: "/access_token", expected: "no token", actual: "present", evidence: [exchange] }];
}
