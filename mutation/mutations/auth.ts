import { createHash } from "node:crypto";
import type { SandboxAccount } from "../../src/sandbox/index.ts";
import type { Exchange, HttpHook, Mutation, MutationRun } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import { nameIn, onPath, patternOf, refused, remembered, withJson } from "../rewrite.ts";
import {
  askToken,
  authorizationOf,
  claimedBy,
  forwardAs,
  onApi,
  onToken,
  TOKEN,
} from "../tokens.ts";

/** Accepts tokens that the sandbox refuses, where they say of what account they are. */
function accepting(isAccepted: (exchange: Exchange, run: MutationRun) => boolean): HttpHook {
  return onApi(async (exchange, run) => {
    const answer = await exchange.forward();
    if (answer.status !== 401 || !isAccepted(exchange, run)) return answer;
    const { account = "" } = claimedBy(exchange)?.claims ?? {};
    const { accounts } = run.sandbox;
    return await forwardAs(
      exchange,
      accounts.find((one) => one.accountId === account) ?? accounts[0],
    );
  });
}

/** Whether a request has no token at all. */
const isAnonymous = (exchange: Exchange) => authorizationOf(exchange) === undefined;

/** A path that takes no token. */
function isOpenTo(path: string, method = "GET"): HttpHook {
  return onPath(path, accepting(isAnonymous), method);
}

/** SDK tokens taken for API tokens on some paths. */
function openToSdk(isOpen: (exchange: Exchange) => boolean): HttpHook {
  return onApi(async (exchange, run) => {
    const [account] = run.sandbox.accounts;
    const isSdk = claimedBy(exchange)?.claims.scope === "sdk";
    const answer = await exchange.forward();
    return isSdk && answer.status === 403 && isOpen(exchange)
      ? await forwardAs(exchange, account)
      : answer;
  });
}

/** Takes what was sent for credentials of the account that is meant, by some part of them. */
function lenient(
  isMeant: (account: SandboxAccount, form: URLSearchParams, realm: string) => boolean,
) {
  return onToken(async (exchange, run) => {
    const answer = await exchange.forward();
    if (answer.status !== 401) return answer;
    const form = new URLSearchParams(exchange.request.body);
    const realm = exchange.path.split("/")[3] ?? "";
    const account = run.sandbox.accounts.find((one) => isMeant(one, form, realm));
    if (!account) return answer;
    form.set("client_id", account.clientId);
    form.set("client_secret", account.clientSecret);
    return await askToken(exchange, account.accountId, form);
  });
}

/** What the token endpoint answers, changed. */
const tokenAs = (change: (json: Record<string, unknown>) => unknown): HttpHook =>
  onToken(async ({ forward }) => {
    const answer = await forward();
    if (answer.status !== 200) return answer;
    return await withJson(answer, (json) => change(json) ?? json);
  });

export const auth: readonly Mutation[] = [
  {
    id: "auth/token-201",
    requirement: "AUTH-01",
    description: "The framework answers 201 Created to every POST",
    http: onToken(async ({ forward }) => {
      const answer = await forward();
      return answer.status === 200 ? { ...answer, status: 201 } : answer;
    }),
  },
  {
    id: "auth/token-json-only",
    requirement: "AUTH-01",
    description: "The token endpoint takes JSON alone, and refuses a form",
    http: onToken(async () => refused(415, "Unsupported media type")),
  },
  {
    id: "auth/token-as-text",
    requirement: "AUTH-01",
    description: "The token endpoint answers the bare token, not JSON",
    http: onToken(async ({ forward }) => {
      const answer = await forward();
      if (answer.status !== 200) return answer;
      const { access_token: body } = parseJson(answer.body);
      return { ...answer, headers: { "content-type": "text/plain" }, body };
    }),
  },
  {
    id: "auth/expires-in-text",
    requirement: "AUTH-02",
    description: "expires_in goes through a string-typed configuration",
    http: tokenAs((json) => ({ ...json, expires_in: String(json["expires_in"]) })),
  },
  {
    id: "auth/expires-in-milliseconds",
    requirement: "AUTH-02",
    description: "expires_in is given in milliseconds",
    http: tokenAs((json) => ({ ...json, expires_in: Number(json["expires_in"]) * 1000 })),
  },
  {
    id: "auth/token-type-mac",
    requirement: "AUTH-02",
    description: "token_type is left over from the template",
    http: tokenAs((json) => ({ ...json, token_type: "access_token" })),
  },
  {
    id: "auth/opaque-token",
    requirement: "AUTH-02",
    description: "Tokens are opaque session ids, not JWTs",
    http: async (exchange, run) => {
      const known = remembered(run, "tokens", () => new Map<string, string>());
      if (patternOf(TOKEN).test(exchange.path)) {
        const answer = await exchange.forward();
        if (answer.status !== 200) return answer;
        return await withJson(answer, (json) => {
          const opaque = createHash("sha256").update(json.access_token).digest("hex");
          known.set(opaque, json.access_token);
          return { ...json, access_token: opaque };
        });
      }
      const [, opaque = ""] = /^Bearer (\w+)$/.exec(authorizationOf(exchange) ?? "") ?? [];
      const token = known.get(opaque);
      if (token === undefined) return refused(401, "Unauthorized");
      const { Authorization, authorization, ...headers } = exchange.request.headers;
      return await exchange.forward({ headers: { ...headers, authorization: `Bearer ${token}` } });
    },
  },
  {
    id: "auth/refresh-token",
    requirement: "AUTH-03",
    description: "The identity provider's default: a refresh token comes along",
    http: tokenAs((json) => ({ ...json, refresh_token: json["access_token"] })),
  },
  {
    id: "auth/any-account",
    requirement: "AUTH-04",
    description: "The account id in the token URL is not looked at",
    http: lenient(
      (one, form) =>
        one.clientId === form.get("client_id") && one.clientSecret === form.get("client_secret"),
    ),
  },
  {
    id: "auth/any-client-id",
    requirement: "AUTH-05",
    description: "Only the secret is looked up",
    http: lenient(
      (one, form, realm) =>
        one.accountId === realm && one.clientSecret === form.get("client_secret"),
    ),
  },
  {
    id: "auth/any-secret",
    requirement: "AUTH-06",
    description: "The secret is not checked on the staging path that went live",
    http: lenient(
      (one, form, realm) => one.accountId === realm && one.clientId === form.get("client_id"),
    ),
  },
  {
    id: "auth/wrong-secret-400",
    requirement: "AUTH-06",
    description: "A wrong secret is answered 400 invalid_client",
    http: onToken(async ({ forward, request }, { sandbox }) => {
      const answer = await forward();
      const id = new URLSearchParams(request.body).get("client_id");
      const isKnown = sandbox.accounts.some(({ clientId }) => clientId === id);
      return answer.status === 401 && isKnown ? refused(400, "invalid_client") : answer;
    }),
  },
  {
    id: "auth/open-messages",
    requirement: "AUTH-07",
    description: "The new endpoint was registered outside of the authenticated router",
    http: isOpenTo("/transaction-messages/{}"),
  },
  {
    id: "auth/open-bank-transactions",
    requirement: "AUTH-07",
    description: "A list is left out of the security filter's path pattern",
    http: isOpenTo("/bank-transactions"),
  },
  {
    id: "auth/open-match",
    requirement: "AUTH-07",
    description: "The filter's pattern covers two segments, and not three",
    http: isOpenTo("/transaction-matches/{}/{}"),
  },
  {
    id: "auth/open-patch",
    requirement: "AUTH-07",
    description: "The filter covers GET alone",
    http: isOpenTo("/bank-links/{}", "PATCH"),
  },
  {
    id: "auth/login-page",
    requirement: "AUTH-07",
    description: "Who is not logged in is led to the login page",
    http: onApi(async (exchange) => {
      if (!isAnonymous(exchange)) return await exchange.forward();
      return { status: 302, headers: { location: "/login" }, body: "" };
    }),
  },
  {
    id: "auth/alg-none",
    requirement: "AUTH-08",
    description: "The JWT library accepts alg none",
    http: accepting((exchange) => /^none$/i.test(String(claimedBy(exchange)?.header.alg))),
  },
  {
    id: "auth/signature-unchecked",
    requirement: "AUTH-08",
    description: "Tokens are decoded and not verified: the gateway is said to do that",
    http: accepting((exchange) => {
      const { signature = "", claims, header } = claimedBy(exchange) ?? {};
      return signature !== "" && header?.alg !== "none" && claims?.account !== undefined;
    }),
  },
  {
    id: "auth/verified-by-signature",
    requirement: "AUTH-08",
    description: "The cache of verified tokens is keyed by the signature alone",
    http: onApi(async (exchange, run) => {
      const good = remembered(run, "good", () => new Set<string>());
      const answer = await exchange.forward();
      const { signature = "" } = claimedBy(exchange) ?? {};
      if (answer.status === 200) good.add(signature);
      if (answer.status !== 401 || !good.has(signature)) return answer;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/malformed-500",
    requirement: "AUTH-08",
    description: "A token that is no JWT throws, and nobody catches it",
    http: onApi(async (exchange) => {
      const isOdd = !isAnonymous(exchange) && !claimedBy(exchange);
      return isOdd ? refused(500, "Internal server error") : await exchange.forward();
    }),
  },
  {
    id: "auth/never-expires",
    requirement: "AUTH-09",
    description: "exp is not looked at",
    http: onApi(async (exchange, run) => {
      const good = remembered(run, "good", () => new Set<string>());
      const answer = await exchange.forward();
      const token = authorizationOf(exchange) ?? "";
      if (answer.status === 200) good.add(token);
      if (answer.status !== 401 || !good.has(token)) return answer;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/lives-a-minute-longer",
    requirement: "AUTH-09",
    description: "The verifier allows for clocks that differ by a minute",
    http: onApi(async (exchange, run) => {
      const { exp = 0 } = claimedBy(exchange)?.claims ?? {};
      const answer = await exchange.forward();
      const now = Date.parse((await run.sandbox.readClock()).now) / 1000;
      if (answer.status !== 401 || now < exp || now > exp + 60) return answer;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/short-lived",
    requirement: "AUTH-09",
    description: "Clock skew is taken off twice: a token lives for one minute",
    http: onApi(async (exchange, { sandbox }) => {
      const { exp = Number.POSITIVE_INFINITY } = claimedBy(exchange)?.claims ?? {};
      const { now } = await sandbox.readClock();
      const isOver = Date.parse(now) / 1000 > exp - 240;
      return isOver ? refused(401, "Unauthorized") : await exchange.forward();
    }),
  },
  {
    id: "auth/one-session",
    requirement: "AUTH-10",
    description: "A new token ends the session of the one before",
    http: async (exchange, run) => {
      const latest = remembered(run, "latest", () => new Map<string, string>());
      if (patternOf(TOKEN).test(exchange.path)) {
        const answer = await exchange.forward();
        const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
        if (answer.status === 200)
          latest.set(client, `Bearer ${parseJson(answer.body).access_token}`);
        return answer;
      }
      const { sub = "" } = claimedBy(exchange)?.claims ?? {};
      const isOld = latest.has(sub) && latest.get(sub) !== authorizationOf(exchange);
      return isOld ? refused(401, "Unauthorized") : await exchange.forward();
    },
  },
  {
    id: "auth/sdk-opens-cards",
    requirement: "AUTH-11",
    description: "The SDK's scope has cards:read, since enrollment is about cards",
    http: openToSdk(({ path }) => path === "/cards"),
  },
  {
    id: "auth/sdk-opens-transaction",
    requirement: "AUTH-11",
    description: "The scope is checked on lists, and not on single resources",
    http: openToSdk(({ path }) => path.startsWith("/transactions/")),
  },
  {
    id: "auth/sdk-completes-links",
    requirement: "AUTH-11",
    description: "The scope is checked on reads alone",
    http: openToSdk(({ request }) => request.method === "PATCH"),
  },
  {
    id: "auth/other-accounts-transaction",
    requirement: "AUTH-12",
    description: "Single resources are found by their id alone",
    http: onApi(async (exchange, { sandbox }) => {
      const answer = await exchange.forward();
      if (answer.status !== 404 || !/^\/[\w-]+\/./.test(exchange.path)) return answer;
      const { account } = claimedBy(exchange)?.claims ?? {};
      const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
      return other ? await forwardAs(exchange, other) : answer;
    }),
  },
  {
    id: "auth/other-accounts-list",
    requirement: "AUTH-12",
    description: "The list's query lacks the condition on the account",
    http: onPath("/bank-accounts", async (exchange, { sandbox }) => {
      const answer = await exchange.forward();
      if (answer.status !== 200) return answer;
      const { account } = claimedBy(exchange)?.claims ?? {};
      const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
      const theirs = other && parseJson((await forwardAs(exchange, other)).body);
      return await withJson(answer, (json) => {
        const name = nameIn("bank-accounts");
        json._embedded[name].push(...(theirs?._embedded[name] ?? []));
        return json;
      });
    }),
  },
  {
    id: "auth/forbidden",
    requirement: "ERR-01",
    description: "Whoever is not let in is answered 403",
    http: onApi(async ({ forward }) => {
      const answer = await forward();
      return answer.status === 401 ? refused(403, "Forbidden") : answer;
    }),
  },
  {
    id: "auth/ok-with-error",
    requirement: "ERR-01",
    description: "Errors are answered 200 with an error in the body, on one endpoint",
    http: onPath("/bank-links", async ({ forward }) => {
      const answer = await forward();
      return answer.status === 401 ? { ...answer, status: 200 } : answer;
    }),
  },
];
