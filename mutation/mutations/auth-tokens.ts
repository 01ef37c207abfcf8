import type { Exchange, HttpHook, Mutation, MutationRun } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import { mutationState, onPath, patternOf, problemResponse } from "../rewrite.ts";
import {
  authorizationOf,
  claimsOf,
  forwardAs,
  onApi,
  openTo,
  reissueTokens,
  TOKEN,
} from "../tokens.ts";

/** Accepts tokens that the sandbox rejects, for the account in their claims. */
function accepting(isAccepted: (exchange: Exchange, run: MutationRun) => boolean): HttpHook {
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
function isOpenTo(path: string, method = "GET"): HttpHook {
  return onPath(path, accepting(isAnonymous), method);
}

interface Issued {
  readonly token: string;
  readonly until: number;
}

/** Mutations of how the API checks tokens. */
export const authTokens: readonly Mutation[] = [
  {
    id: "auth/open-messages",
    requirement: "AUTH-07",
    description: "The new endpoint was registered outside the authenticated router",
    http: isOpenTo("/transaction-messages/{}"),
  },
  {
    id: "auth/open-bank-transactions",
    requirement: "AUTH-07",
    description: "The security filter's path pattern omits a list",
    http: isOpenTo("/bank-transactions"),
  },
  {
    id: "auth/open-match",
    requirement: "AUTH-07",
    description: "The security filter's pattern covers two path segments, but not three",
    http: isOpenTo("/transaction-matches/{}/{}"),
  },
  {
    id: "auth/open-patch",
    requirement: "AUTH-07",
    description: "The security filter covers only GET",
    http: isOpenTo("/bank-links/{}", "PATCH"),
  },
  {
    id: "auth/login-page",
    requirement: "AUTH-07",
    description: "Requests without a token are redirected to the login page",
    http: onApi(async (exchange) => {
      if (!isAnonymous(exchange)) return await exchange.forward();
      return { status: 302, headers: { location: "/login" }, body: "" };
    }),
  },
  {
    id: "auth/alg-none",
    requirement: "AUTH-08",
    description: "The JWT library accepts `alg: none`",
    http: accepting((exchange) => /^none$/i.test(String(claimsOf(exchange)?.header.alg))),
  },
  {
    id: "auth/signature-unchecked",
    requirement: "AUTH-08",
    description:
      "Tokens are decoded but not verified, because the gateway is expected to verify them",
    http: accepting((exchange) => {
      const { signature = "", claims, header } = claimsOf(exchange) ?? {};
      return signature !== "" && header?.alg !== "none" && claims?.account !== undefined;
    }),
  },
  {
    id: "auth/verified-by-signature",
    requirement: "AUTH-08",
    description: "The cache of verified tokens is keyed by signature only",
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
    http: onApi(async (exchange) => {
      const isOdd = !isAnonymous(exchange) && !claimsOf(exchange);
      return isOdd ? problemResponse(500, "Internal server error") : await exchange.forward();
    }),
  },
  {
    id: "auth/never-expires",
    requirement: "AUTH-09",
    description: "The expiry of a token is ignored",
    checks: ["AUTH-09: a token is accepted for 5 minutes and rejected afterwards"],
    http: onApi(async (exchange, run) => {
      const good = mutationState(run, "good", () => new Set<string>());
      const response = await exchange.forward();
      const token = authorizationOf(exchange) ?? "";
      if (response.status === 200) good.add(token);
      if (response.status !== 401 || !good.has(token)) return response;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/lives-a-minute-longer",
    requirement: "AUTH-09",
    description: "The verifier allows a minute of clock skew",
    http: onApi(async (exchange, run) => {
      const { exp = 0 } = claimsOf(exchange)?.claims ?? {};
      const response = await exchange.forward();
      const now = Date.parse((await run.sandbox.readClock()).now) / 1000;
      if (response.status !== 401 || now < exp || now > exp + 60) return response;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/short-lived",
    requirement: "AUTH-09",
    description: "Clock skew is subtracted twice, so a token expires after one minute",
    checks: ["AUTH-09: a token is accepted for 5 minutes and rejected afterwards"],
    http: onApi(async (exchange, { sandbox }) => {
      const { exp = Number.POSITIVE_INFINITY } = claimsOf(exchange)?.claims ?? {};
      const { now } = await sandbox.readClock();
      const isOver = Date.parse(now) / 1000 > exp - 240;
      return isOver ? problemResponse(401, "Unauthorized") : await exchange.forward();
    }),
  },
  {
    id: "auth/one-session",
    requirement: "AUTH-10",
    description: "A new token invalidates the previous one",
    checks: ["AUTH-10: a second token does not invalidate the first"],
    http: async (exchange, run) => {
      const latest = mutationState(run, "latest", () => new Map<string, string>());
      if (patternOf(TOKEN).test(exchange.path)) {
        const response = await exchange.forward();
        const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
        if (response.status === 200)
          latest.set(client, `Bearer ${parseJson(response.body).access_token}`);
        return response;
      }
      const { sub = "" } = claimsOf(exchange)?.claims ?? {};
      const isOld = latest.has(sub) && latest.get(sub) !== authorizationOf(exchange);
      return isOld ? problemResponse(401, "Unauthorized") : await exchange.forward();
    },
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
  {
    id: "auth/hour-in-claims",
    requirement: "AUTH-09",
    description: "The token's claims have the identity provider's default lifetime of one hour",
    checks: ["AUTH-09: iat and exp of a token are 300 s apart"],
    http: reissueTokens((token) => {
      const [header, payload = "", signature] = token.split(".");
      const claims = parseJson(Buffer.from(payload, "base64url").toString());
      const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.iat + 3_600 }));
      return `${header}.${longer.toString("base64url")}.${signature}`;
    }),
  },
  {
    id: "auth/first-session-only",
    requirement: "AUTH-10",
    description: "While a client has a valid token, a new one is not registered",
    checks: ["AUTH-10: a second token grants the same access as the first"],
    http: async (exchange, run) => {
      const good = mutationState(run, "good", () => new Map<string, Issued>());
      const now = Date.parse((await run.sandbox.readClock()).now) / 1000;
      if (patternOf(TOKEN).test(exchange.path)) {
        const response = await exchange.forward();
        const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
        const isKept = (good.get(client)?.until ?? 0) > now;
        if (response.status === 200 && !isKept) {
          const token = `Bearer ${parseJson(response.body).access_token}`;
          good.set(client, { token, until: now + 300 });
        }
        return response;
      }
      const { token, until = 0 } = good.get(claimsOf(exchange)?.claims.sub ?? "") ?? {};
      const isOther = until > now && token !== authorizationOf(exchange);
      return isOther ? problemResponse(401, "Unauthorized") : await exchange.forward();
    },
  },
];
