import { claims } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { eachResponse, once } from "../../assert.ts";
import {
  type Check,
  type ClaimBreach,
  requirementOf,
  type Session,
  type SeveralClaims,
  Skip,
} from "../../check.ts";
import {
  callOfExisting,
  laterExchange,
  requireToken,
  sdkExchange,
  secondAccountExchange,
} from "../../observe/authorization.ts";
import { breachesOf } from "../../observe/bodies.ts";
import { collections } from "../../observe/operations.ts";
import { validatedResponse } from "../../observe/validation.ts";
import type { Capability } from "../../target.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { claimsOf } from "../../wire/tokens.ts";

/** The client whose credentials are exchanged. */
interface Client {
  readonly name: string;
  readonly requires: readonly Capability[];
  readonly exchange: (session: Session) => Promise<Exchange>;
}

const CLIENTS: readonly Client[] = [
  { name: "the API client", requires: [], exchange: (session) => session.tokenExchange() },
  { name: "a second request", requires: [], exchange: laterExchange },
  { name: "the SDK client", requires: ["sdkCredentials"], exchange: sdkExchange },
  { name: "the second account", requires: ["secondAccount"], exchange: secondAccountExchange },
];

/** Checks of the token endpoint. */
export const tokenEndpoint: readonly Check[] = [
  ...ofEach(["AUTH-01.accepts-form", "AUTH-01.returns-json"], "gets 200 with JSON", (exchange) => {
    const { status, json } = exchange.response ?? {};
    if (status === 200 && json !== undefined) return [];
    const claim = status === 200 ? "AUTH-01.returns-json" : "AUTH-01.accepts-form";
    const breach = { expected: "200 with JSON", actual: outcomeOf(exchange) };
    return [{ claim, ...breach, evidence: [exchange] }];
  }),
  ...ofEach(
    ["AUTH-02.jwt", "AUTH-02.expires-in", "AUTH-02.token-type"],
    "gets a signed Bearer JWT that is valid for 300 s",
    (exchange, session) => {
      const { findings } = validatedResponse(TOKEN, exchange, session.capabilities);
      const own = breachesOf(findings, exchange).filter(
        ({ claim }) => claims[claim].requirement === "AUTH-02",
      );
      return [...own, ...unsigned(exchange)];
    },
  ),
  ...ofEach(["AUTH-03.no-refresh-token"], "gets no refresh_token", (exchange) => {
    if (memberOf(exchange.response?.json, "refresh_token") === undefined) return [];
    const found = { path: "/refresh_token", expected: "none", actual: "present" };
    return [{ claim: "AUTH-03.no-refresh-token", ...found, evidence: [exchange] }];
  }),
  // AUTH-09: A token is valid for 5 minutes; after that it gets 401.
  ...CLIENTS.filter(({ exchange }) => exchange !== laterExchange).map(
    ({ name, requires, exchange: exchangeOf }): Check => ({
      claims: ["AUTH-09.own-exp"],
      title: `iat and exp of a token of ${name} are 300 s apart`,
      requires,
      run: async (session) => {
        const exchange = await exchangeOf(session);
        requireResponse(exchange, name);
        const { iat, exp } = claimsOf(String(memberOf(exchange.response?.json, "access_token")));
        if (typeof iat !== "number" || typeof exp !== "number") {
          return session.skip("the token lacks iat or exp");
        }
        if (exp - iat === LIFETIME_S) return once([]);
        const actual = `${exp - iat} s`;
        return once([
          { path: "/access_token", expected: `${LIFETIME_S} s`, actual, evidence: [exchange] },
        ]);
      },
    }),
  ),
  // AUTH-10: Tokens are stateless: a second token does not invalidate the first.
  {
    claims: ["AUTH-10.first-stays"],
    title: "later tokens do not invalidate the first",
    requires: ["state"],
    run: async (session) => {
      requireToken(await laterExchange(session), "a second request");
      for (const keepAs of LATER_TOKENS) await session.exchangeToken({ keepAs });
      const found = await opens(session, "$TXFEED_TOKEN");
      if (!(found instanceof Skip) && found.breaches.length > 0) {
        // Replace the run's token, so that later checks do not fail too.
        await session.exchangeToken({ keepAs: "$TXFEED_TOKEN" });
      }
      return found;
    },
  },
  {
    claims: ["AUTH-10.both-work"],
    title: "a second token grants the same access as the first",
    requires: ["state"],
    run: async (session) => {
      requireToken(await laterExchange(session), "a second request");
      return opens(session, "$TXFEED_TOKEN_LATER");
    },
  },
];

/** Several tokens: a faulty server may end the oldest session only after a few new ones. */
const LATER_TOKENS = ["$TXFEED_TOKEN_3", "$TXFEED_TOKEN_4", "$TXFEED_TOKEN_5"] as const;

const TOKEN = "POST /auth/realms/{account_id}/protocol/openid-connect/token";

const LIFETIME_S = 300;

/** Checks the response to each client's token request. */
function ofEach(
  claims: Check["claims"],
  what: string,
  findBreaches: (exchange: Exchange, session: Session) => readonly ClaimBreach[],
): Check[] {
  return CLIENTS.map(({ name, requires, exchange }) => {
    const isOfSdk = exchange === sdkExchange && requirementOf({ claims }) === "AUTH-02";
    return {
      claims: (isOfSdk ? ["AUTH-02.sdk-token"] : claims) as SeveralClaims,
      title: `${name} ${what}`,
      requires,
      run: async (session) => {
        const responded = await exchange(session);
        // Only AUTH-01 reports a refusal.
        if (requirementOf({ claims }) !== "AUTH-01") requireResponse(responded, name);
        const found = findBreaches(responded, session);
        return once(
          isOfSdk ? found.map((one) => ({ ...one, claim: "AUTH-02.sdk-token" as const })) : found,
        );
      },
    };
  });
}

function requireResponse({ response }: Exchange, name: string): void {
  if (response?.status === 200 && response.json !== undefined) return;
  throw new Skip(`${name} got no 200 response with JSON: see AUTH-01`);
}

/** Checks that a JWT's `alg` is not none. The contract validates the JWT's shape. */
function unsigned(exchange: Exchange): ClaimBreach[] {
  const token = memberOf(exchange.response?.json, "access_token");
  const { alg } = claimsOf(String(token), "header");
  if (typeof alg !== "string" || alg.toLowerCase() !== "none") return [];
  const found = { path: "/access_token", expected: "a signed JWT", actual: `alg ${alg}` };
  return [{ claim: "AUTH-02.jwt", ...found, evidence: [exchange] }];
}

/** Checks that a token gives access to the same collections as the run's first token. */
async function opens(session: Session, variable: `$TXFEED_${string}`) {
  const calls = await Promise.all(
    collections.map((operation) => callOfExisting(session, operation)),
  );
  const known = calls.filter((call) => call !== undefined);
  const skip = new Skip("no collection returned 200");
  return eachResponse(
    known,
    skip,
    ({ method, path }) => session.sendAuthorized({ method, path }, variable),
    (exchange, { accepted: opened }) => {
      if (exchange.response?.status !== 401) return [];
      const evidence = [exchange, ...(opened ? [opened] : [])] as const;
      return [{ expected: "200, as with the first token", actual: outcomeOf(exchange), evidence }];
    },
  );
}
