import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, each } from "../../assert.ts";
import { type Breach, type Check, type Found, type Session, Skip } from "../../check.ts";
import {
  callOf,
  callOfExisting,
  requireToken,
  type SecuredCall,
  sdkExchange,
  secondAccountExchange,
  securedOperations,
  withAuthorization,
} from "../../observe/authorization.ts";
import { feedOf } from "../../observe/crawl.ts";
import { Aborted } from "../../skip.ts";
import type { Capability } from "../../target.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { TAMPERED_TITLES } from "./refused-tokens.ts";

const AGED = "$TXFEED_TOKEN_AGED";
const NEWER = "$TXFEED_TOKEN_NEWER";

/** The longest time for the requests before expiry: the target's clock may run meanwhile. */
const TOLERANCE_S = 5;

/** Just before expiry, minus the tolerance. */
const YOUNG_S = 299 - TOLERANCE_S;

/** Just after expiry. The driver advances the clock to the exact second. */
const OLD_S = 301;

/** Checks of the lifetime of tokens and of PATCH requests that must be refused. */
export const drivenAuthentication: readonly Check[] = [
  // AUTH-09: A token is valid for 5 minutes; after that it gets 401.
  {
    claims: ["AUTH-09.accepted-until", "AUTH-09.refused-after"],
    title: "a token is accepted for 5 minutes and rejected afterwards",
    requires: ["state", "verb:advance"],
    run: async (session) => {
      const calls = await Promise.all(securedOperations.map((key) => callOfExisting(session, key)));
      const all = await Promise.all(securedOperations.map((key) => callOf(session, key)));
      const known = calls.filter((call) => call !== undefined);
      const skip = new Skip("no endpoint returned 200");
      if (known.length === 0) return skip;
      const exchange = await session.exchangeToken({ keepAs: AGED });
      requireToken(exchange, "the API credentials");
      await session.drive("advance", { seconds: YOUNG_S });
      const responses = await Promise.all(
        known.map(async (call) => {
          const { method, path } = call;
          return { call, exchange: await session.sendAuthorized({ method, path }, AGED) };
        }),
      );
      await session.drive("advance", { seconds: OLD_S - YOUNG_S });
      const old = await each(all, skip, (call) => expired(session, call));
      if (old instanceof Skip) return old;
      const took = [exchange, ...responses.map((each) => each.exchange)];
      const seconds = took.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000;
      const isPrompt = seconds <= TOLERANCE_S;
      if (!isPrompt && old.breaches.length === 0) {
        return new Skip(
          `the requests took ${Math.round(seconds)} s, too long for an exact check of the expiry`,
        );
      }
      const opened = responses.filter(({ exchange }) => exchange.response);
      if (opened.length === 0) return new Aborted("no request before the expiry got a response");
      const young = isPrompt ? opened.flatMap(opens) : [];
      return {
        assertions: opened.length + old.assertions,
        breaches: [
          ...young.map((one) => ({ ...one, claim: "AUTH-09.accepted-until" as const })),
          ...old.breaches.map((one) => ({ ...one, claim: "AUTH-09.refused-after" as const })),
        ],
        situations: ["before-limit", "after-limit"],
      };
    },
  },
  {
    claims: ["AUTH-09.own-issue"],
    title: "each of two tokens expires 5 minutes after its own issue",
    requires: ["state", "verb:advance"],
    run: ownIssue,
  },
  // AUTH-07: An API request without an Authorization header gets 401, on every resource endpoint.
  refusesPatch("AUTH-07", "without a token", [], async () => [
    "Bearer",
    "Basic bm9ib2R5Om5vdGhpbmc=",
  ]),
  // AUTH-08: An API request whose token is malformed, unsigned (alg none), re-signed with another
  // key, or altered gets 401.
  refusesPatch("AUTH-08", "with an invalid token", [], async () =>
    Object.keys(TAMPERED_TITLES).map((kind) => `Bearer $TXFEED_TOKEN_${kind.toUpperCase()}`),
  ),
  // AUTH-11: SDK credentials are only for card enrollment: every resource endpoint rejects their
  // token (with 401 or 403; which one is not specified).
  refusesPatch("AUTH-11", "with an SDK token", ["sdkCredentials"], async (session) => {
    requireToken(await sdkExchange(session), "the SDK credentials");
    return ["Bearer $TXFEED_SDK_TOKEN"];
  }),
  // AUTH-12: A token of one account gives no access to data of another account.
  refusesPatch("AUTH-12", "with another account's token", ["secondAccount"], async (session) => {
    requireToken(await secondAccountExchange(session), "the second account's credentials");
    return ["Bearer $TXFEED_SECOND_TOKEN"];
  }),
];

/** The time between the issues of two tokens. */
const APART_S = 150;

/** Uses two tokens when the older one has expired, and before and after the newer one expires. */
async function ownIssue(session: Session): Promise<Found | Skip> {
  const calls = await Promise.all(securedOperations.map((key) => callOfExisting(session, key)));
  const call = calls.find((one) => one !== undefined);
  if (!call) return new Skip("no endpoint returned 200");
  const sent: Exchange[] = [];
  const issue = async (keepAs: typeof AGED | typeof NEWER) => {
    const exchange = await session.exchangeToken({ keepAs });
    requireToken(exchange, "the API credentials");
    sent.push(exchange);
  };
  const use = async (token: typeof AGED | typeof NEWER) => {
    const exchange = await session.send(withAuthorization(call, `Bearer ${token}`));
    sent.push(exchange);
    return exchange;
  };
  await issue(AGED);
  await session.drive("advance", { seconds: APART_S });
  await issue(NEWER);
  await session.drive("advance", { seconds: OLD_S - APART_S });
  const [older, newer] = [await use(AGED), await use(NEWER)];
  await session.drive("advance", { seconds: YOUNG_S - (OLD_S - APART_S) });
  const young = await use(NEWER);
  await session.drive("advance", { seconds: OLD_S - YOUNG_S });
  const old = await use(NEWER);
  if (sent.some(({ response }) => !response)) return new Aborted("a request got no response");
  const seconds = sent.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000;
  const assertions = new Assertions();
  const isRefused = (exchange: Exchange, wanted: boolean, when: string) => {
    const isRight = (exchange.response?.status === 401) === wanted;
    const expected = `${wanted ? "401" : "200"} ${when}`;
    assertions.check(isRight, { expected, actual: outcomeOf(exchange), evidence: [exchange] });
  };
  isRefused(older, true, `after ${OLD_S} s, although a newer token was issued`);
  isRefused(old, true, `${OLD_S} s after its own issue`);
  if (seconds <= TOLERANCE_S) {
    isRefused(newer, false, `${OLD_S - APART_S} s after its own issue`);
    isRefused(young, false, `${YOUNG_S} s after its own issue`);
  }
  const slow = new Skip(`the requests took ${Math.round(seconds)} s, too long for an exact check`);
  return assertions.result("", seconds > TOLERANCE_S ? slow : undefined);
}

interface Opening {
  readonly call: SecuredCall;
  readonly exchange: Exchange;
}

function opens({ call: { accepted: opened }, exchange }: Opening): Breach[] {
  if (exchange.response?.status !== 401) return [];
  const evidence = [exchange, ...(opened ? [opened] : [])] as const;
  const claim = "AUTH-09.accepted-until" as const;
  return [{ claim, expected: `200 after ${YOUNG_S} s`, actual: outcomeOf(exchange), evidence }];
}

async function expired(session: Session, call: SecuredCall): Promise<Breach[]> {
  const exchange = await session.send(withAuthorization(call, `Bearer ${AGED}`));
  if (exchange.response?.status === 401) return [];
  const claim = "AUTH-09.refused-after" as const;
  return [
    { claim, expected: `401 after ${OLD_S} s`, actual: outcomeOf(exchange), evidence: [exchange] },
  ];
}

type RequirementOfPatch = "AUTH-07" | "AUTH-08" | "AUTH-11" | "AUTH-12";

/**
 * Checks that a PATCH of an existing bank link is refused. Requires `writes`, because a PATCH that
 * is accepted changes the target. Never uses the link that EP-07 completes.
 */
function refusesPatch(
  requirement: RequirementOfPatch,
  how: string,
  more: readonly Capability[],
  authorizations: (session: Session) => Promise<readonly string[]>,
): Check {
  return {
    claims: [requirement === "AUTH-08" ? "AUTH-08.everywhere" : `${requirement}.patch`],
    title: `an existing bank link rejects PATCH ${how}`,
    requires: ["state", "writes", ...more],
    run: async (session) => {
      const skip = new Skip("the only bank link is the one that the run may complete");
      const id = await bankLinkOf(session);
      if (id === undefined) return skip;
      const sent = await authorizations(session);
      return each(sent, skip, async (authorization) => {
        const exchange = await session.send({
          method: "PATCH",
          path: `/bank-links/${encodeURIComponent(id)}`,
          headers: { "content-type": "application/json", authorization },
          body: "{}",
        });
        return refused(requirement, exchange);
      });
    },
  };
}

async function bankLinkOf(session: Session): Promise<string | undefined> {
  const pages = (await feedOf(session)).walks.get("GET /bank-links")?.pages ?? [];
  const ids = pages.flatMap(({ items }) => items.map((item) => memberOf(item, "id")));
  return ids.find(
    (id): id is string => typeof id === "string" && id !== session.capabilities.bankLinkId,
  );
}

/** AUTH-11 allows 401 and 403; AUTH-12 allows any 4xx. */
function refused(requirement: RequirementOfPatch, exchange: Exchange): Breach[] {
  const { status = 0 } = exchange.response ?? {};
  const isRight =
    requirement === "AUTH-12"
      ? status >= 400 && status < 500
      : status === 401 || (requirement === "AUTH-11" && status === 403);
  if (isRight) return [];
  const expected = { "AUTH-11": "401 or 403", "AUTH-12": "a 4xx" }[requirement as string] ?? "401";
  return [{ expected, actual: outcomeOf(exchange), evidence: [exchange] }];
}
