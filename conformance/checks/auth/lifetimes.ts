import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { ClaimAssertions } from "../../assert.ts";
import { type Check, type ClaimBreach, type Found, type Session, Skip } from "../../check.ts";
import { callOfExisting, requireToken, securedOperations } from "../../observe/authorization.ts";
import { Aborted } from "../../skip.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { callsOfAll, refusedPatches, sendAs } from "./refused-tokens.ts";

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

/** Checks of the lifetime of tokens and of PATCH requests that must be refused. */
export const drivenAuthentication: readonly Check[] = [
  // AUTH-09: A token is valid for 5 minutes; after that it gets 401.
  {
    claims: ["AUTH-09.accepted-until", "AUTH-09.refused-after", "AUTH-09.own-issue"],
    title: "a token is accepted for 5 minutes and rejected afterwards",
    requires: ["state", "verb:advance"],
    run: liveAndExpire,
  },
  ...refusedPatches,
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
