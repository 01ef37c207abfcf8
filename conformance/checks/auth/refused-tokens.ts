import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import {
  type Breach,
  type Check,
  type ClaimBreach,
  type Found,
  type Session,
  Skip,
} from "../../check.ts";
import {
  callOf,
  callOfExisting,
  requireToken,
  type SecuredCall,
  sdkExchange,
  securedOperations,
  withAuthorization,
} from "../../observe/authorization.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import type { TamperedToken } from "../../wire/tampered-secrets.ts";
import { claimsOf } from "../../wire/tokens.ts";
import { tokenlessResponses, unauthorized } from "./credentials.ts";

/** The claims of tampered tokens; default: the token is altered. */
const TAMPERED_CLAIMS: Partial<Record<TamperedToken, ClaimId>> = {
  ...{ malformed: "AUTH-08.malformed", opaque: "AUTH-08.malformed" },
  ...{ unsigned: "AUTH-08.unsigned", unsigned_title: "AUTH-08.unsigned" },
  ...{ unsigned_upper: "AUTH-08.unsigned", unsigned_mixed: "AUTH-08.unsigned" },
  ...{ resigned: "AUTH-08.other-key", resigned_alike: "AUTH-08.other-key" },
  resigned_embedded: "AUTH-08.other-key",
};

/** The claim about an operation: lists, single resources and PATCH have claims of their own. */
function claimOf(requirement: "AUTH-07" | "AUTH-11", operation: string): ClaimId {
  if (operation.startsWith("PATCH")) return `${requirement}.patch`;
  return `${requirement}.${operation.includes("{") ? "singles" : "lists"}`;
}

/** The situation of an operation on a list; empty for other operations. */
function listOf(operation: string): Situation[] {
  const name = operation.split("/")[1] as Situation;
  return operation.startsWith("PATCH") || operation.includes("{") ? [] : [name];
}

/** The descriptions of tampered tokens in check titles. */
export const TAMPERED_TITLES: Readonly<Record<TamperedToken, string>> = {
  malformed: "a malformed token",
  opaque: "a token that is not a JWT",
  unsigned: "an unsigned token (alg none)",
  unsigned_title: "an unsigned token (alg None)",
  unsigned_upper: "an unsigned token (alg NONE)",
  unsigned_mixed: "an unsigned token (alg nOnE)",
  cut: "a token without its signature part",
  emptied: "a token with an empty signature",
  truncated: "a token with a truncated signature",
  flipped: "a token with one flipped signature bit",
  zeroed: "a token with an all-zero signature",
  resigned: "a token re-signed with HS256 and another key",
  resigned_alike: "a token re-signed with another key",
  resigned_embedded: "a token signed with a key in its own header",
  altered: "a token with a later expiry",
  altered_subject: "a token with another subject",
};

/**
 * Authorization headers without a token. No check sends a token without a scheme, because a server
 * may accept it.
 */
const NO_TOKEN: readonly (readonly [what: string, authorization: string])[] = [
  ["an empty Bearer header", "Bearer"],
  ["Basic authentication", "Basic bm9ib2R5Om5vdGhpbmc="],
];

/** Checks that secured operations refuse missing and invalid tokens. */
export const refusals: readonly Check[] = [
  ...securedOperations.map((operation): Check => {
    return {
      claims: [claimOf("AUTH-07", operation)],
      title: `${operation} requires a token`,
      requires: [],
      run: async (session) => {
        const responded = await tokenlessResponses(session);
        const own = responded.filter(({ call }) => call.operation === operation);
        const skip = new Skip("no request was sent");
        const find = ({ exchange }: (typeof own)[number]) => unauthorized(exchange);
        return each(own, skip, find, () => listOf(operation));
      },
    };
  }),
  // AUTH-07: An API request without an Authorization header gets 401, on every resource endpoint.
  {
    claims: ["AUTH-07.lists", "AUTH-07.singles"],
    title: "requests for existing resources require a token",
    requires: ["state"],
    run: async (session) => {
      const calls = await Promise.all(securedOperations.map((key) => callOfExisting(session, key)));
      const known = calls.filter((call) => call !== undefined);
      const skip = await session.skip("no endpoint returned 200");
      const find = async (call: SecuredCall) =>
        withClaim(tokenlessClaim(call), unauthorized(await session.send(call)));
      return each(known, skip, find, ({ operation }) => listOf(operation));
    },
  },
  ...NO_TOKEN.map(([what, authorization]): Check => {
    return {
      claims: ["AUTH-07.lists", "AUTH-07.singles"],
      title: `${what} is rejected with 401`,
      requires: ["state"],
      run: async (session) => {
        if (!(await session.hasToken())) return session.skip("");
        return rejectedByEach(
          session,
          (call) => session.send(withAuthorization(call, authorization)),
          tokenlessClaim,
        );
      },
    };
  }),
  ...(Object.entries(TAMPERED_TITLES) as [TamperedToken, string][]).map(([kind, what]): Check => {
    const claim = TAMPERED_CLAIMS[kind] ?? "AUTH-08.altered";
    return {
      claims: [claim, "AUTH-08.everywhere"],
      title: `${what} is rejected with 401`,
      requires: ["state"],
      run: async (session) => {
        await requireSignedToken(session, kind);
        const authorization = `Bearer $TXFEED_TOKEN_${kind.toUpperCase()}`;
        const found = await rejectedByEach(
          session,
          (call) => session.send(withAuthorization(call, authorization)),
          () => claim,
        );
        if (found instanceof Skip) return found;
        // A token that one endpoint accepts is not refused everywhere.
        const [first] = found.breaches;
        const everywhere = first ? withClaim("AUTH-08.everywhere", [first]) : [];
        return { ...found, breaches: [...found.breaches, ...everywhere] };
      },
    };
  }),
  ...securedOperations.map((operation): Check => {
    return {
      claims: [claimOf("AUTH-11", operation)],
      title: `${operation} rejects SDK tokens`,
      requires: ["state", "sdkCredentials"],
      run: async (session) => {
        requireToken(await sdkExchange(session), "the SDK credentials");
        const call = await callOf(session, operation);
        const skip = new Skip("no request was sent");
        const find = async ({ accepted, ...call }: SecuredCall) => {
          const exchange = await session.sendAuthorized(call, "$TXFEED_SDK_TOKEN");
          return unauthorizedOrForbidden(exchange, accepted);
        };
        return each([call], skip, find, () => listOf(operation));
      },
    };
  }),
];

/** @throws {Skip} if the run's token can't be tampered with */
async function requireSignedToken(session: Session, kind: TamperedToken): Promise<void> {
  const token = memberOf((await session.tokenExchange()).response?.json, "access_token");
  if (typeof token !== "string") throw await session.skip("there is no token to tamper with");
  if (kind === "malformed" || kind === "opaque") return;
  const isSigned = (token.split(".")[2] ?? "") !== "";
  if (isSigned && claimsOf(token, "header")["alg"] !== undefined) return;
  throw new Skip("the token is not a signed JWT: see AUTH-02");
}

/** Checks that every secured endpoint returns 401. */
async function rejectedByEach(
  session: Session,
  send: (call: SecuredCall) => Promise<Exchange>,
  claimOf: (call: SecuredCall) => ClaimId,
): Promise<Found<ClaimBreach> | Skip> {
  const calls = await Promise.all(securedOperations.map((key) => callOf(session, key)));
  const skip = new Skip("there is no secured endpoint");
  const find = async (call: SecuredCall) =>
    withClaim(claimOf(call), unauthorized(await send(call)));
  return each(calls, skip, find, ({ operation }) => {
    if (operation.startsWith("PATCH")) return ["patch"];
    return operation.includes("{") ? ["alone"] : listOf(operation);
  });
}

function withClaim(claim: ClaimId, breaches: readonly Breach[]): ClaimBreach[] {
  return breaches.map((breach) => ({ ...breach, claim }));
}

function tokenlessClaim({ operation }: SecuredCall): ClaimId {
  return listOf(operation).length > 0 ? "AUTH-07.lists" : "AUTH-07.singles";
}

/** AUTH-11 allows 401 and 403. */
function unauthorizedOrForbidden(exchange: Exchange, accepted: Exchange | undefined): Breach[] {
  const { status = 0 } = exchange.response ?? {};
  if (status === 401 || status === 403) return [];
  const evidence = [exchange, ...(accepted ? [accepted] : [])] as const;
  return [{ expected: "401 or 403", actual: outcomeOf(exchange), evidence }];
}
