import type { Exchange, HttpHook, Mutation, MutationRun } from "../mutation.ts";
import { mutationState, onPath, problemResponse } from "../rewrite.ts";
import { authorizationOf, claimsOf, forwardAs, onApi, openTo } from "../tokens.ts";

/** Accepts tokens that the sandbox rejects, for the account in their claims. */
function acceptTokens(isAccepted: (exchange: Exchange, run: MutationRun) => boolean): HttpHook {
  return onApi(async (exchange, run) => {
    const response = await exchange.forward();
    if (response.status !== 401 || !isAccepted(exchange, run)) return response;
    const { account = "" } = claimsOf(exchange)?.claims ?? {};
    const { accounts } = run.sandbox;
    return await forwardAs(
      exchange,
      accounts.find((one) => one.accountId === account) ?? accounts[0],
    );
  });
}

/** Whether a request has no token. */
const isAnonymous = (exchange: Exchange) => authorizationOf(exchange) === undefined;

/** Makes a path accept requests without a token. */
function openPath(path: string, method = "GET"): HttpHook {
  return onPath(path, acceptTokens(isAnonymous), method);
}

/** Mutations of how the API checks tokens. */
export const authTokens: readonly Mutation[] = [
  {
    id: "auth/open-messages",
    requirement: "AUTH-07",
    description: "The new endpoint was registered outside the authenticated router",
    checks: [
      "AUTH-07: GET /transaction-messages/{id} requires a token",
      "AUTH-07: requests for existing resources require a token",
    ],
    http: openPath("/transaction-messages/{}"),
  },
  {
    id: "auth/open-bank-transactions",
    requirement: "AUTH-07",
    description: "The security filter's path pattern omits a list",
    checks: [
      "AUTH-07: GET /bank-transactions requires a token",
      "AUTH-07: requests for existing resources require a token",
    ],
    http: openPath("/bank-transactions"),
  },
  {
    id: "auth/open-match",
    requirement: "AUTH-07",
    description: "The security filter's pattern covers two path segments, but not three",
    checks: [
      "AUTH-07: GET /transaction-matches/{subaccountId}/{matchId} requires a token",
      "AUTH-07: requests for existing resources require a token",
    ],
    http: openPath("/transaction-matches/{}/{}"),
  },
  {
    id: "auth/open-patch",
    requirement: "AUTH-07",
    description: "The security filter covers only GET",
    checks: ["AUTH-07: PATCH /bank-links/{bankLinkId} requires a token"],
    http: openPath("/bank-links/{}", "PATCH"),
  },
  {
    id: "auth/login-page",
    requirement: "AUTH-07",
    description: "Requests without a token are redirected to the login page",
    checks: [
      "AUTH-07: GET /subaccounts requires a token",
      "AUTH-07: GET /subaccounts/{id} requires a token",
      "AUTH-07: GET /cards requires a token",
      "AUTH-07: GET /cards/{id} requires a token",
      "AUTH-07: GET /card-subscriptions/{id} requires a token",
      "AUTH-07: GET /network-bulk-feeds/{id} requires a token",
      "AUTH-07: GET /transactions requires a token",
      "AUTH-07: GET /transactions/{transactionId} requires a token",
      "AUTH-07: GET /transaction-messages/{id} requires a token",
      "AUTH-07: GET /bank-links requires a token",
      "AUTH-07: PATCH /bank-links/{bankLinkId} requires a token",
      "AUTH-07: GET /bank-accounts requires a token",
      "AUTH-07: GET /bank-accounts/{id} requires a token",
      "AUTH-07: GET /bank-transactions requires a token",
      "AUTH-07: GET /bank-transactions/{subaccountId}/{id} requires a token",
      "AUTH-07: GET /transaction-matches requires a token",
      "AUTH-07: GET /transaction-matches/{subaccountId}/{matchId} requires a token",
      "AUTH-07: requests for existing resources require a token",
    ],
    http: onApi(async (exchange) => {
      if (!isAnonymous(exchange)) return await exchange.forward();
      return { status: 302, headers: { location: "/login" }, body: "" };
    }),
  },
  {
    id: "auth/alg-none",
    requirement: "AUTH-08",
    description: "The JWT library accepts `alg: none`",
    checks: [
      "AUTH-08: an unsigned token (alg none) is rejected with 401",
      "AUTH-08: an unsigned token (alg None) is rejected with 401",
      "AUTH-08: an unsigned token (alg NONE) is rejected with 401",
      "AUTH-08: an unsigned token (alg nOnE) is rejected with 401",
      "AUTH-08: an existing bank link rejects PATCH with an invalid token",
    ],
    http: acceptTokens((exchange) => /^none$/i.test(String(claimsOf(exchange)?.header.alg))),
  },
  {
    id: "auth/signature-unchecked",
    requirement: "AUTH-08",
    description:
      "Tokens are decoded but not verified, because the gateway is expected to verify them",
    checks: [
      "AUTH-08: a token with a truncated signature is rejected with 401",
      "AUTH-08: a token with one flipped signature bit is rejected with 401",
      "AUTH-08: a token with an all-zero signature is rejected with 401",
      "AUTH-08: a token re-signed with HS256 and another key is rejected with 401",
      "AUTH-08: a token re-signed with another key is rejected with 401",
      "AUTH-08: a token signed with a key in its own header is rejected with 401",
      "AUTH-08: a token with a later expiry is rejected with 401",
      "AUTH-08: a token with another subject is rejected with 401",
      "AUTH-08: an existing bank link rejects PATCH with an invalid token",
    ],
    http: acceptTokens((exchange) => {
      const { signature = "", claims, header } = claimsOf(exchange) ?? {};
      return signature !== "" && header?.alg !== "none" && claims?.account !== undefined;
    }),
  },
  {
    id: "auth/verified-if-signed",
    requirement: "AUTH-08",
    description: "The signature is verified only if the token has one",
    checks: [
      "AUTH-08: a token without its signature part is rejected with 401",
      "AUTH-08: a token with an empty signature is rejected with 401",
      "AUTH-08: an existing bank link rejects PATCH with an invalid token",
    ],
    http: acceptTokens((exchange) => {
      const { signature, header, claims } = claimsOf(exchange) ?? {};
      return signature === "" && !/^none$/i.test(String(header?.alg)) && claims !== undefined;
    }),
  },
  {
    id: "auth/verified-by-signature",
    requirement: "AUTH-08",
    description: "The cache of verified tokens is keyed by signature only",
    checks: [
      "AUTH-08: a token with a later expiry is rejected with 401",
      "AUTH-08: a token with another subject is rejected with 401",
      "AUTH-08: an existing bank link rejects PATCH with an invalid token",
    ],
    http: onApi(async (exchange, run) => {
      const good = mutationState(run, "good", () => new Set<string>());
      const response = await exchange.forward();
      const { signature = "" } = claimsOf(exchange) ?? {};
      if (response.status === 200) good.add(signature);
      if (response.status !== 401 || !good.has(signature)) return response;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/malformed-500",
    requirement: "AUTH-08",
    description: "A token that is not a JWT causes an unhandled exception",
    checks: [
      "AUTH-08: a malformed token is rejected with 401",
      "AUTH-08: a token that is not a JWT is rejected with 401",
      "AUTH-08: an existing bank link rejects PATCH with an invalid token",
    ],
    http: onApi(async (exchange) => {
      const isOdd = !isAnonymous(exchange) && !claimsOf(exchange);
      return isOdd ? problemResponse(500, "Internal server error") : await exchange.forward();
    }),
  },
  {
    id: "auth/forbidden",
    requirement: "ERR-01",
    description: "Every unauthorized request gets 403",
    checks: [
      "ERR-01: an API request without a token is rejected with 401",
      "ERR-01: an API request with an invalid token is rejected with 401",
    ],
    http: onApi(async ({ forward }) => {
      const response = await forward();
      return response.status === 401 ? problemResponse(403, "Forbidden") : response;
    }),
  },
  {
    id: "auth/ok-with-error",
    requirement: "ERR-01",
    description: "One endpoint returns errors with status 200",
    checks: [
      "ERR-01: an API request without a token is rejected with 401",
      "ERR-01: an API request with an invalid token is rejected with 401",
    ],
    http: onPath("/bank-links", async ({ forward }) => {
      const response = await forward();
      return response.status === 401 ? { ...response, status: 200 } : response;
    }),
  },
  {
    id: "auth/no-token-needed",
    requirement: "AUTH-07",
    description: "The security filter is disabled",
    checks: ["AUTH-07"],
    http: openTo((exchange) => claimsOf(exchange) === undefined),
  },
  {
    id: "auth/any-token",
    requirement: "AUTH-08",
    description: "The gateway checks only that a token is present",
    checks: ["AUTH-08"],
    http: openTo((exchange) => !isAnonymous(exchange)),
  },
];
