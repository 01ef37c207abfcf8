import type { ClaimId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { once } from "../../assert.ts";
import type { Breach, Check, Session } from "../../check.ts";
import {
  callWithUnknownIds,
  type SecuredCall,
  securedOperations,
} from "../../observe/authorization.ts";
import { UNKNOWN_ID } from "../../observe/operations.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import type { TokenRequestOptions } from "../../wire/tokens.ts";

const NEAR_MISS_TITLES = {
  CUT: "without its last character",
  LONGER: "with one more character",
  SWAPPED: "with swapped case",
};

/** Token requests with one wrong field. */
export const credentials: readonly Check[] = [
  // AUTH-04: A wrong account id in the token URL gets 401.
  rejects("AUTH-04.unknown-account", "a wrong account id is rejected with 401", "account"),
  // AUTH-05: A wrong client_id gets 401.
  rejects("AUTH-05.unknown-client", "a wrong client_id is rejected with 401", "clientId"),
  // AUTH-06: A wrong client_secret gets 401.
  rejects("AUTH-06.unknown-secret", "a wrong client_secret is rejected with 401", "clientSecret"),
  ...rejectsNearMiss("AUTH-04.unknown-account", "account id", "ACCOUNT_ID", ["CUT", "LONGER"]),
  ...rejectsNearMiss("AUTH-05.unknown-client", "client_id", "CLIENT_ID", ["CUT", "LONGER"]),
  ...rejectsNearMiss("AUTH-06.unknown-secret", "client_secret", "CLIENT_SECRET", [
    "CUT",
    "LONGER",
    "SWAPPED",
  ]),
  // AUTH-04: A wrong account id in the token URL gets 401.
  rejectsSdk(
    "AUTH-04.unknown-account",
    "the SDK client with a wrong account id is rejected with 401",
    {
      accountId: UNKNOWN_ID,
    },
  ),
  // AUTH-06: A wrong client_secret gets 401.
  rejectsSdk(
    "AUTH-06.unknown-secret",
    "a wrong client_secret of the SDK client is rejected with 401",
    {
      form: { client_secret: UNKNOWN_ID },
    },
  ),
  // AUTH-05: A wrong client_id gets 401.
  rejectsCombined(
    "AUTH-05.other-client",
    "the SDK client_id with the API client_secret is rejected with 401",
    "sdk",
    {
      form: { client_id: "$TXFEED_SDK_CLIENT_ID" },
    },
  ),
  // AUTH-06: A wrong client_secret gets 401.
  rejectsCombined(
    "AUTH-06.other-secret",
    "the API client_id with the SDK client_secret is rejected with 401",
    "sdk",
    {
      form: { client_secret: "$TXFEED_SDK_CLIENT_SECRET" },
    },
  ),
  // AUTH-04: A wrong account id in the token URL gets 401.
  rejectsCombined(
    "AUTH-04.other-account",
    "another account's account id is rejected with 401",
    "second",
    {
      accountId: "$TXFEED_SECOND_ACCOUNT_ID",
    },
  ),
  // AUTH-05: A wrong client_id gets 401.
  rejectsCombined(
    "AUTH-05.other-client",
    "another account's client_id is rejected with 401",
    "second",
    {
      form: { client_id: "$TXFEED_SECOND_CLIENT_ID" },
    },
  ),
  // AUTH-06: A wrong client_secret gets 401.
  rejectsCombined(
    "AUTH-06.other-secret",
    "another account's client_secret is rejected with 401",
    "second",
    {
      form: { client_secret: "$TXFEED_SECOND_CLIENT_SECRET" },
    },
  ),
  ...(["client_id", "client_secret"] as const).flatMap((name) => [
    issuesNoToken(name, `an empty ${name} gets no token`, ""),
    issuesNoToken(name, `a request without ${name} gets no token`, undefined),
  ]),
];

type WrongField = Parameters<typeof refusedExchange>[1];

function rejects(claim: ClaimId, title: string, wrong: WrongField): Check {
  return {
    claims: [claim],
    title,
    requires: ["state"],
    run: async (session) => once(unauthorized(await refusedExchange(session, wrong))),
  };
}

/** Checks that a credential is compared completely. */
function rejectsNearMiss(
  claim: ClaimId,
  name: string,
  variable: "ACCOUNT_ID" | "CLIENT_ID" | "CLIENT_SECRET",
  nearMisses: readonly (keyof typeof NEAR_MISS_TITLES)[],
): Check[] {
  return nearMisses.map((nearMiss) => {
    const value = `$TXFEED_${variable}_${nearMiss}`;
    const isAccount = variable === "ACCOUNT_ID";
    const wrong = isAccount ? { accountId: value } : { form: { [name]: value } };
    return {
      claims: [claim],
      title: `the ${name} ${NEAR_MISS_TITLES[nearMiss]} is rejected with 401`,
      requires: ["state"],
      run: async (session) => once(unauthorized(await session.exchangeToken(wrong))),
    };
  });
}

function rejectsSdk(claim: ClaimId, title: string, wrong: TokenRequestOptions): Check {
  return {
    claims: [claim],
    title,
    requires: ["state", "sdkCredentials"],
    run: async (session) =>
      once(unauthorized(await session.exchangeToken({ identity: "sdk", ...wrong }))),
  };
}

/** Checks that credentials of two clients can't be combined. */
function rejectsCombined(
  claim: ClaimId,
  title: string,
  other: "sdk" | "second",
  wrong: TokenRequestOptions,
): Check {
  return {
    claims: [claim],
    title,
    requires: ["state", other === "sdk" ? "sdkCredentials" : "secondAccount"],
    run: async (session) => {
      if (!session.capabilities.credentialsDiffer) {
        return session.skip("two of the given credentials are the same");
      }
      return once(unauthorized(await session.exchangeToken(wrong)));
    },
  };
}

/** Checks that an empty or missing field gets no token. Any status passes. */
function issuesNoToken(
  name: "client_id" | "client_secret",
  title: string,
  value: string | undefined,
): Check {
  return {
    claims: [name === "client_id" ? "AUTH-05.unknown-client" : "AUTH-06.unknown-secret"],
    title,
    requires: ["state"],
    run: async (session) => {
      const exchange = await session.exchangeToken({ form: { [name]: value } });
      const { response } = exchange;
      if (!response) {
        const expected = "a response without a token";
        return once([{ expected, actual: outcomeOf(exchange), evidence: [exchange] }]);
      }
      if (memberOf(response.json, "access_token") === undefined) return once([]);
      const path = "/access_token";
      return once([{ path, expected: "no token", actual: "present", evidence: [exchange] }]);
    },
  };
}

/** Token requests with one wrong field. Each must get a 401 (AUTH-04 to AUTH-06). */
export const wrongCredentials = {
  account: { accountId: UNKNOWN_ID },
  clientId: { form: { client_id: UNKNOWN_ID } },
  clientSecret: { form: { client_secret: UNKNOWN_ID } },
} as const satisfies Record<string, TokenRequestOptions>;

/** The response to a token request with one wrong field. All checks share it. */
export function refusedExchange(
  session: Session,
  wrong: keyof typeof wrongCredentials,
): Promise<Exchange> {
  return session.share(`token request with a wrong ${wrong}`, (shared) =>
    shared.exchangeToken(wrongCredentials[wrong]),
  );
}

/** The responses to requests without a token, for unknown ids. All checks share them. */
export function tokenlessResponses(session: Session): Promise<readonly TokenlessResponse[]> {
  return session.share("requests without a token", (shared) =>
    Promise.all(
      securedOperations.map(callWithUnknownIds).map(async (call) => {
        return { call, exchange: await shared.send(call) };
      }),
    ),
  );
}

interface TokenlessResponse {
  readonly call: SecuredCall;
  readonly exchange: Exchange;
}

/** Checks that the response is 401, as for every failed authentication (ERR-01). */
export function unauthorized(exchange: Exchange): Breach[] {
  if (exchange.response?.status === 401) return [];
  return [{ expected: "401", actual: outcomeOf(exchange), evidence: [exchange] }];
}
