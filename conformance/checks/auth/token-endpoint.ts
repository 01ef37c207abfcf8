import { type ClaimId, claims, type Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { ClaimAssertions, eachResponse, once } from "../../assert.ts";
import {
  type Check,
  type ClaimBreach,
  type Found,
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
  securedOperations,
} from "../../observe/authorization.ts";
import { breachesOf } from "../../observe/bodies.ts";
import { collections } from "../../observe/operations.ts";
import { validatedResponse } from "../../observe/validation.ts";
import { Aborted } from "../../skip.ts";
import type { Capability } from "../../target.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { claimsOf, tokenOf } from "../../wire/tokens.ts";
import { callsOfAll, sendAs } from "./refused-tokens.ts";

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
        const { iat, exp } = claimsOf(tokenOf(exchange) ?? "");
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
  const { alg } = claimsOf(tokenOf(exchange) ?? "", "header");
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

const AGED = "$TXFEED_TOKEN_AGED";
const NEWER = "$TXFEED_TOKEN_NEWER";

/** The longest time for the requests before expiry: the target's clock may run meanwhile. */
const TOLERANCE_S = 5;

/** Just before expiry, minus the tolerance. */
const YOUNG_S = 299 - TOLERANCE_S;

/** Just after expiry. The driver advances the clock to the exact second. */
const OLD_S = 301;

/** The time between the issues of two tokens. */
const APART_S = 150;

/** When the second part of the timeline begins: another token is issued, and a newer one. */
const AGAIN_S = OLD_S;

/** What happens to the tokens, in the order of the clock. */
const TIMELINE: readonly Moment[] = [
  { atS: 0, issue: AGED },
  { atS: YOUNG_S, use: AGED, claim: "AUTH-09.accepted-until", isAccepted: true },
  { atS: OLD_S, use: AGED, claim: "AUTH-09.refused-after", isAccepted: false },
  { atS: AGAIN_S, issue: AGED },
  { atS: AGAIN_S + APART_S, issue: NEWER },
  { atS: AGAIN_S + OLD_S, use: AGED, claim: "AUTH-09.own-issue", isAccepted: false },
  { atS: AGAIN_S + OLD_S, use: NEWER, claim: "AUTH-09.own-issue", isAccepted: true },
  { atS: AGAIN_S + APART_S + YOUNG_S, use: NEWER, claim: "AUTH-09.own-issue", isAccepted: true },
  { atS: AGAIN_S + APART_S + OLD_S, use: NEWER, claim: "AUTH-09.own-issue", isAccepted: false },
];

type Moment =
  | { readonly atS: number; readonly issue: typeof AGED | typeof NEWER }
  | {
      readonly atS: number;
      readonly use: typeof AGED | typeof NEWER;
      readonly claim: ClaimId;
      readonly isAccepted: boolean;
    };

/** Checks of the lifetime of tokens. */
export const lifetimes: readonly Check[] = [
  // AUTH-09: A token is valid for 5 minutes; after that it gets 401.
  {
    claims: ["AUTH-09.accepted-until", "AUTH-09.refused-after", "AUTH-09.own-issue"],
    title: "a token is accepted for 5 minutes and rejected afterwards",
    requires: ["state", "verb:advance"],
    run: liveAndExpire,
  },
];

async function liveAndExpire(session: Session): Promise<Found<ClaimBreach> | Skip> {
  const calls = await Promise.all(securedOperations.map((key) => callOfExisting(session, key)));
  const known = calls.filter((call) => call !== undefined);
  const all = await callsOfAll(session);
  if (known.length === 0) return new Skip("no endpoint returned 200");
  const assertions = new ClaimAssertions();
  const issuedS = { [AGED]: 0, [NEWER]: 0 };
  let [nowS, requestsS, slowS] = [0, 0, 0];
  for (const moment of TIMELINE) {
    if (moment.atS > nowS) await session.drive("advance", { seconds: moment.atS - nowS });
    nowS = moment.atS;
    if ("issue" in moment) {
      const exchange = await session.exchangeToken({ keepAs: moment.issue });
      requireToken(exchange, "the API credentials");
      issuedS[moment.issue] = nowS;
      requestsS = exchange.durationMs / 1_000;
      continue;
    }
    const { use, claim, isAccepted } = moment;
    // Of the endpoints, one shows when a token was issued.
    const several = isAccepted ? known : all;
    const asked = claim === "AUTH-09.own-issue" ? known.slice(0, 1) : several;
    const responses = await Promise.all(
      asked.map((call) => sendAs(session, call, `Bearer ${use}`)),
    );
    for (const { exchange } of responses) requestsS += exchange.durationMs / 1_000;
    if (responses.every(({ exchange }) => !exchange.response)) {
      return new Aborted("no request with the token got a response");
    }
    if (isAccepted && requestsS > TOLERANCE_S) {
      slowS = requestsS;
      continue;
    }
    const situation: Situation = isAccepted ? "before-limit" : "after-limit";
    for (const { call, exchange } of responses) {
      if (isAccepted && !exchange.response) continue;
      const expected = `${isAccepted ? "200" : "401"} ${nowS - issuedS[use]} s after its issue`;
      const evidence = [exchange, ...(call.accepted ? [call.accepted] : [])] as const;
      const isRight = (exchange.response?.status !== 401) === isAccepted;
      const breach = { expected, actual: outcomeOf(exchange), evidence };
      assertions.of(claim, situation).check(isRight, breach);
    }
  }
  const why = `the requests took ${Math.round(slowS)} s, too long for an exact check of the expiry`;
  return assertions.result("", slowS > 0 ? new Skip(why) : undefined);
}
