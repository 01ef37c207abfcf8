import { createHash } from "node:crypto";
import type { SandboxAccount } from "../../src/sandbox/index.ts";
import * as is from "../bugs.ts";
import { bug } from "../bugs.ts";
import { type Exchange, type Mutation, type MutationRun, parseJson } from "../mutation.ts";
import { on, onApi, problem, statusIf } from "../requests.ts";
import { itemsOf, withJson } from "../rewrite.ts";
import {
  accept,
  authorizationOf,
  claimsOf,
  forwardAs,
  nowOf,
  onToken,
  reissued,
  requestToken,
  sessions,
  tokens,
} from "../tokens.ts";

interface Client {
  readonly account: string;
  readonly id: string;
  readonly secret: string;
}

const clientsOf = ({ accountId: account, ...own }: SandboxAccount): Client[] => [
  { account, id: own.clientId, secret: own.clientSecret },
  { account, id: own.sdkClientId, secret: own.sdkClientSecret },
];

/** Issues a token if only some of the credentials match. */
const issueIf = (isMeant: (client: Client, sent: Client) => boolean) =>
  onToken(async (exchange, { sandbox }) => {
    const response = await exchange.forward();
    if (response.status === 200) return response;
    const form = new URLSearchParams(exchange.request.body);
    const account = exchange.path.split("/")[3] ?? "";
    const sent = {
      account,
      id: form.get("client_id") ?? "",
      secret: form.get("client_secret") ?? "",
    };
    const client = sandbox.accounts.flatMap(clientsOf).find((one) => isMeant(one, sent));
    if (!client) return response;
    return await requestToken(exchange, client.account, {
      ...{ client_id: client.id, client_secret: client.secret },
      grant_type: "client_credentials",
    });
  });

/** Whether a request has no token. */
const isAnonymous = (exchange: Exchange) => authorizationOf(exchange) === undefined;

const algorithmOf = (exchange: Exchange) => String(claimsOf(exchange)?.header.alg);

const isOfSdk = (exchange: Exchange) => claimsOf(exchange)?.claims.scope === "sdk";

/** Makes an operation accept requests without a token. */
const open = (operation: string) => on(operation, accept(isAnonymous).http);

/** Makes an operation accept SDK tokens. */
const openToSdk = (isOpen: (exchange: Exchange) => boolean) =>
  accept((exchange) => isOfSdk(exchange) && isOpen(exchange), [403]);

/** Keeps accepting what was accepted before, by a key. */
const acceptKnown = (keyOf: (exchange: Exchange) => string) =>
  onApi(async (exchange, run) => {
    const response = await exchange.forward();
    const key = keyOf(exchange);
    if (response.status === 200) run.memory.set(key, true);
    if (response.status !== 401 || !run.memory.has(key)) return response;
    return await forwardAs(exchange, run.sandbox.accounts[0]);
  });

/** The account that a request is not authorized for. */
function otherAccount(exchange: Exchange, { sandbox }: MutationRun): SandboxAccount | undefined {
  const { account } = claimsOf(exchange)?.claims ?? {};
  return sandbox.accounts.find(({ accountId }) => accountId !== account);
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

const LIFETIME = ["AUTH-02.expires-in", "AUTH-02.sdk-token"] as const;

/** Mutations of the token endpoint, and of the access that a token gives. */
export const auth: readonly Mutation[] = [
  bug("auth/token-201", "AUTH-01.accepts-form").is(
    "The framework responds with 201 Created to every POST",
    onToken(async ({ forward }) => {
      const response = await forward();
      return response.status === 200 ? { ...response, status: 201 } : response;
    }),
  ),
  bug("auth/token-json-only", "AUTH-01.accepts-form")
    .is("The token endpoint accepts only JSON, not a form")
    .by(onToken(() => problem(415))),
  bug("auth/token-as-text", "AUTH-01.returns-json").is(
    "The token endpoint returns the bare token instead of JSON",
    onToken(async ({ forward }) => {
      const response = await forward();
      if (response.status !== 200) return response;
      const { access_token: body } = parseJson(response.body);
      return { ...response, headers: { "content-type": "text/plain" }, body };
    }),
  ),
  bug("auth/expires-in-text", ...LIFETIME)
    .is("expires_in comes from a configuration value and is a string")
    .by(is.text(tokens, "/expires_in")),
  bug("auth/expires-in-milliseconds", ...LIFETIME)
    .is("expires_in is in milliseconds")
    .by(is.changed((seconds) => seconds * 1000)(tokens, "/expires_in")),
  bug("auth/expires-in-600", ...LIFETIME)
    .is("expires_in has the identity provider's default of ten minutes")
    .by(tokens.set("/expires_in", 600)),
  bug("auth/token-type-mac", "AUTH-02.token-type", "AUTH-02.sdk-token")
    .is("token_type is a placeholder from a template")
    .by(tokens.set("/token_type", "access_token")),
  bug("auth/refresh-token", "AUTH-03.no-refresh-token")
    .is("The identity provider also returns a refresh token by default")
    .by(tokens, (json) => ({ ...json, refresh_token: json.access_token })),
  bug("auth/opaque-token", "AUTH-02.jwt", "AUTH-02.sdk-token")
    .is("Tokens are opaque session ids, not JWTs")
    .by(reissued((token) => createHash("sha256").update(token).digest("hex"))),
  bug("auth/any-account", "AUTH-04.unknown-account", "AUTH-04.other-account")
    .is("The account id in the token URL is ignored")
    .by(issueIf((client, sent) => client.id === sent.id && client.secret === sent.secret)),
  bug("auth/any-client-id", "AUTH-05.unknown-client", "AUTH-05.other-client").is(
    "Only the client secret is checked",
    issueIf((client, sent) => client.account === sent.account && client.secret === sent.secret),
  ),
  bug("auth/any-secret", "AUTH-06.unknown-secret", "AUTH-06.other-secret")
    .is("The client secret is not checked")
    .by(issueIf((client, sent) => client.account === sent.account && client.id === sent.id)),
  bug("auth/wrong-secret-400", "AUTH-06.unknown-secret", "AUTH-06.other-secret").is(
    "A wrong secret gets 400 invalid_client",
    onToken(
      statusIf(400, ({ status }, { request }, { sandbox }) => {
        const id = new URLSearchParams(request.body).get("client_id");
        return status === 401 && sandbox.accounts.some(({ clientId }) => clientId === id);
      }),
    ),
  ),
  bug("auth/unsigned-token", "AUTH-02.jwt", "AUTH-02.sdk-token").is(
    "The test configuration issues unsigned tokens",
    reissued((token) => {
      const [, payload, signature] = token.split(".");
      return `${encoded({ alg: "none" })}.${payload}.${signature}`;
    }),
  ),
  bug("auth/forbidden-client", "ERR-01.token-endpoint")
    .is("Wrong credentials get 403")
    .by(onToken(statusIf(403, ({ status }) => status === 401))),
  bug("auth/open-messages", "AUTH-07.singles")
    .is("The new endpoint was registered outside the authenticated router")
    .by(open("GET /transaction-messages/{}")),
  bug("auth/open-bank-transactions", "AUTH-07.lists")
    .is("The security filter's path pattern omits a list")
    .by(open("GET /bank-transactions")),
  bug("auth/open-match", "AUTH-07.singles")
    .is("The security filter's pattern covers two path segments, but not three")
    .by(open("GET /transaction-matches/{}/{}")),
  bug("auth/open-patch", "AUTH-07.patch")
    .is("The security filter covers only GET")
    .by(open("PATCH /bank-links/{}")),
  bug("auth/known-links-open", "AUTH-07.patch")
    .is("A PATCH of a known bank link without a token is handled as one of the link's owner")
    .by("PATCH /bank-links/{}", async (exchange, { sandbox }) => {
      const isKnown = !exchange.path.endsWith("/00000000-0000-4000-8000-000000000000");
      if (!isAnonymous(exchange) || !isKnown) return exchange.forward();
      return await forwardAs(exchange, sandbox.accounts[0]);
    }),
  bug("auth/patch-before-check", "AUTH-07.patch")
    .is("The handler of PATCH runs before the security filter, which only changes the reply")
    .by("PATCH /bank-links/{}", async (exchange, { sandbox }) => {
      if (isAnonymous(exchange)) await forwardAs(exchange, sandbox.accounts[0]);
      return await exchange.forward();
    }),
  bug("auth/cursor-as-key", "AUTH-07.lists").is(
    "A cursor is signed, so a page with one needs no token",
    on(
      "GET /transactions",
      accept((exchange) => isAnonymous(exchange) && exchange.query.has("cursor")).http,
    ),
  ),
  bug("auth/login-page", "AUTH-07.lists", "AUTH-07.singles", "AUTH-07.patch").is(
    "Requests without a token are redirected to the login page",
    onApi((exchange) => {
      if (!isAnonymous(exchange)) return exchange.forward();
      return { status: 302, headers: { location: "/login" }, body: "" };
    }),
  ),
  bug("auth/alg-none", "AUTH-08.unsigned", "AUTH-08.everywhere")
    .is("The JWT library accepts `alg: none`")
    .by(accept((exchange) => /^none$/i.test(algorithmOf(exchange)))),
  bug("auth/signature-unchecked", "AUTH-08.altered", "AUTH-08.other-key", "AUTH-08.everywhere").is(
    "Tokens are decoded but not verified, because the gateway is expected to verify them",
    accept((exchange) => {
      const { signature = "", claims } = claimsOf(exchange) ?? {};
      return signature !== "" && algorithmOf(exchange) !== "none" && claims?.account !== undefined;
    }),
  ),
  bug("auth/verified-if-signed", "AUTH-08.altered", "AUTH-08.everywhere").is(
    "The signature is verified only if the token has one",
    accept((exchange) => {
      return claimsOf(exchange)?.signature === "" && !/^none$/i.test(algorithmOf(exchange));
    }),
  ),
  bug("auth/verified-by-signature", "AUTH-08.altered", "AUTH-08.everywhere")
    .is("The cache of verified tokens is keyed by signature only")
    .by(acceptKnown((exchange) => claimsOf(exchange)?.signature ?? "")),
  bug("auth/malformed-500", "AUTH-08.malformed", "AUTH-08.everywhere").is(
    "A token that is not a JWT causes an unhandled exception",
    onApi((exchange) => {
      const isOdd = !isAnonymous(exchange) && !claimsOf(exchange);
      return isOdd ? problem(500) : exchange.forward();
    }),
  ),
  bug("auth/forbidden", "ERR-01.api")
    .is("Every unauthorized request gets 403")
    .by(onApi(statusIf(403, ({ status }) => status === 401))),
  bug("auth/ok-with-error", "ERR-01.api")
    .is("One endpoint returns errors with status 200")
    .by("GET /bank-links", async ({ forward }) => {
      const response = await forward();
      return response.status === 401 ? { ...response, status: 200 } : response;
    }),
  bug("auth/no-token-needed", "AUTH-07.lists", "AUTH-07.singles", "AUTH-07.patch")
    .is("The security filter is disabled")
    .by(accept((exchange) => !claimsOf(exchange), [401, 403])),
  bug("auth/any-token", "AUTH-08.malformed", "AUTH-08.altered", "AUTH-08.everywhere")
    .is("The gateway checks only that a token is present")
    .by(accept((exchange) => !isAnonymous(exchange), [401, 403])),
  bug("auth/never-expires", "AUTH-09.refused-after")
    .is("The expiry of a token is ignored")
    .by(acceptKnown((exchange) => authorizationOf(exchange) ?? "")),
  bug("auth/lives-a-minute-longer", "AUTH-09.refused-after").is(
    "The verifier allows a minute of clock skew",
    onApi(async (exchange, run) => {
      const { exp = 0 } = claimsOf(exchange)?.claims ?? {};
      const response = await exchange.forward();
      const late = (await nowOf(run)) - exp;
      if (response.status !== 401 || late < 0 || late > 60) return response;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  ),
  bug("auth/short-lived", "AUTH-09.accepted-until").is(
    "Clock skew is subtracted twice, so a token expires after one minute",
    onApi(async (exchange, run) => {
      const { exp = Number.POSITIVE_INFINITY } = claimsOf(exchange)?.claims ?? {};
      return (await nowOf(run)) > exp - 240 ? problem(401) : await exchange.forward();
    }),
  ),
  bug("auth/one-session", "AUTH-10.first-stays")
    .is("A new token invalidates the previous one")
    .by(sessions((token, issued) => issued.length > 0 && issued.at(-1)?.token !== token)),
  bug("auth/two-sessions", "AUTH-10.first-stays")
    .is("A client has two sessions at most: a third token ends the first one")
    .by(sessions((token, issued) => issued.slice(0, -2).some((one) => one.token === token))),
  bug("auth/hour-in-claims", "AUTH-09.own-exp").is(
    "The token's claims have the identity provider's default lifetime of one hour",
    reissued((token) => {
      const [header, payload = "", signature] = token.split(".");
      const claims = parseJson(Buffer.from(payload, "base64url").toString());
      return `${header}.${encoded({ ...claims, exp: claims.iat + 3_600 })}.${signature}`;
    }),
  ),
  bug("auth/first-session-only", "AUTH-10.both-work").is(
    "While a client has a valid token, a new one is not registered",
    sessions((token, issued, now) => {
      let [kept] = issued;
      for (const one of issued) if (kept && one.at >= kept.at + 300) kept = one;
      return kept && now < kept.at + 300 && kept.token !== token;
    }),
  ),
  bug("auth/token-cached", "AUTH-09.own-issue").is(
    "The token endpoint returns a cached token while it is valid",
    onToken(async ({ forward, path, request }, run) => {
      const now = await nowOf(run);
      const key = `${path} ${request.body}`;
      const { body, until = 0 } = run.memory.get(key) ?? {};
      const response = await forward();
      if (response.status !== 200) return response;
      if (until > now) return { ...response, body };
      run.memory.set(key, { body: response.body, until: now + 300 });
      return response;
    }),
  ),
  bug("auth/sdk-opens-cards", "AUTH-11.lists")
    .is("The SDK's scope includes cards:read")
    .by(openToSdk(({ path }) => path === "/cards")),
  bug("auth/sdk-opens-transaction", "AUTH-11.singles")
    .is("The scope is checked for lists, but not for single resources")
    .by(openToSdk(({ path }) => path.startsWith("/transactions/"))),
  bug("auth/sdk-completes-links", "AUTH-11.patch")
    .is("The scope is checked for reads only")
    .by(openToSdk(({ request }) => request.method === "PATCH")),
  bug("auth/other-accounts-transaction", "AUTH-12.singles", "AUTH-12.patch").is(
    "Single resources are looked up by id without checking the account",
    onApi(async (exchange, run) => {
      const response = await exchange.forward();
      if (response.status !== 404 || !/^\/[\w-]+\/./.test(exchange.path)) return response;
      const other = otherAccount(exchange, run);
      return other ? await forwardAs(exchange, other) : response;
    }),
  ),
  bug("auth/other-accounts-list", "AUTH-12.lists", "AUTH-12.singles")
    .is("The list's query does not filter by account")
    .by("GET /bank-accounts", async (exchange, run) => {
      const response = await exchange.forward();
      const other = otherAccount(exchange, run);
      if (response.status !== 200 || !other) return response;
      const theirs = parseJson((await forwardAs(exchange, other)).body);
      return await withJson(response, (json) => {
        itemsOf(json).push(...itemsOf(theirs));
        return json;
      });
    }),
  bug("auth/sdk-opens-everything", "AUTH-11.lists", "AUTH-11.singles", "AUTH-11.patch")
    .is("The scope of a token is not checked")
    .by(accept(isOfSdk, [401, 403])),
  bug("auth/accounts-joined", "AUTH-12.lists", "AUTH-12.patch").is(
    "The account id of a token is replaced by that of the first account",
    onApi((exchange, { sandbox: { accounts } }) => {
      const isSecond = claimsOf(exchange)?.claims.account === accounts[1].accountId;
      return isSecond ? forwardAs(exchange, accounts[0]) : exchange.forward();
    }),
  ),
  bug("auth/ids-of-all-accounts", "AUTH-12.singles", "AUTH-12.lists").is(
    "Ids and cursors are looked up across all accounts",
    onApi(async (exchange, run) => {
      const response = await exchange.forward();
      const other = otherAccount(exchange, run);
      const isUnknown = response.status === 404 || response.status === 400;
      if (!isUnknown || !other || !claimsOf(exchange)) return response;
      const found = await forwardAs(exchange, other);
      const [, list, , id] = exchange.path.split("/");
      if (found.status === 200 || id === undefined) return found;
      // The resource does not belong to the subaccount in the path.
      const forward: Exchange["forward"] = (of) =>
        exchange.forward({ target: `/${list}?limit=100`, ...of });
      const page = await forwardAs({ ...exchange, forward }, other);
      const item = (itemsOf(parseJson(page.body)) ?? []).find((one) => one.id === id);
      return item ? { ...page, body: JSON.stringify(item) } : found;
    }),
  ),
  bug("auth/new-transactions-unowned", "AUTH-12.just-created")
    .is("A job assigns new transactions to their account a minute later")
    .by("GET /transactions/{}", async (exchange, run) => {
      const response = await exchange.forward();
      const other = otherAccount(exchange, run);
      if (response.status !== 404 || !other) return response;
      const found = await forwardAs(exchange, other);
      const createdAt = Date.parse(parseJson(found.body).createdAt) / 1000;
      return (await nowOf(run)) - createdAt < 60 ? found : response;
    }),
];
