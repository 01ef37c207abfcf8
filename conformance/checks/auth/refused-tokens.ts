import { isDeepStrictEqual } from "node:util";
import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { ClaimAssertions, each } from "../../assert.ts";
import {
  type Breach,
  type Check,
  namedClaims,
  requirementOf,
  type Session,
  Skip,
} from "../../check.ts";
import {
  callOf,
  callWithUnknownIds,
  requireToken,
  type SecuredCall,
  sdkExchange,
  secondAccountExchange,
  securedOperations,
  withAuthorization,
} from "../../observe/authorization.ts";
import { feedOf } from "../../observe/crawl.ts";
import { walk } from "../../observe/pages.ts";
import { laterPagesOf } from "../../observe/paging.ts";
import { orSkip, unlessSkipped } from "../../skip.ts";
import type { Capability } from "../../target.ts";
import { deliveriesSince, drive, hasVerbs } from "../../verbs/drive.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import type { TamperedToken } from "../../wire/secret-store.ts";
import { claimsOf } from "../../wire/tokens.ts";
import { rejects, unauthorized, wrongCredentials } from "./credentials.ts";

/**
 * Authorization headers without a token, and none at all. No check sends a token without a scheme,
 * because a server may accept it.
 */
const NO_TOKEN: readonly (readonly [title: string, authorization: string | undefined])[] = [
  ["requests for existing resources require a token", undefined],
  ["an empty Bearer header is rejected with 401", "Bearer"],
  ["Basic authentication is rejected with 401", "Basic bm9ib2R5Om5vdGhpbmc="],
];

/** The claim about each tampered token, and its description in check titles. */
const TAMPERED: Readonly<Record<TamperedToken, readonly [claim: ClaimId, what: string]>> = {
  malformed: ["AUTH-08.malformed", "a malformed token"],
  opaque: ["AUTH-08.malformed", "a token that is not a JWT"],
  unsigned: ["AUTH-08.unsigned", "an unsigned token (alg none)"],
  unsigned_title: ["AUTH-08.unsigned", "an unsigned token (alg None)"],
  unsigned_upper: ["AUTH-08.unsigned", "an unsigned token (alg NONE)"],
  unsigned_mixed: ["AUTH-08.unsigned", "an unsigned token (alg nOnE)"],
  cut: ["AUTH-08.altered", "a token without its signature part"],
  emptied: ["AUTH-08.altered", "a token with an empty signature"],
  truncated: ["AUTH-08.altered", "a token with a truncated signature"],
  flipped: ["AUTH-08.altered", "a token with one flipped signature bit"],
  zeroed: ["AUTH-08.altered", "a token with an all-zero signature"],
  resigned: ["AUTH-08.other-key", "a token re-signed with HS256 and another key"],
  resigned_alike: ["AUTH-08.other-key", "a token re-signed with another key"],
  resigned_embedded: ["AUTH-08.other-key", "a token signed with a key in its own header"],
  altered: ["AUTH-08.altered", "a token with a later expiry"],
  altered_subject: ["AUTH-08.altered", "a token with another subject"],
};

const SDK = "Bearer $TXFEED_SDK_TOKEN";

const headerOf = (kind: string) => `Bearer $TXFEED_TOKEN_${kind.toUpperCase()}`;

/** Requests that every secured operation must refuse. */
interface Refusal extends Pick<Check, "title" | "requires"> {
  readonly claims: readonly ClaimId[];
  /** The claims that a request decides. Default: all. */
  readonly claimsOf?: (operation: string) => readonly ClaimId[];
  readonly authorization: string | undefined;
  /** Default: one of each operation, of an existing resource if there is one. */
  readonly calls?: (session: Session) => Promise<readonly SecuredCall[]>;
  /** Checks with the same name share the responses. Default: each sends its own requests. */
  readonly sharedAs?: string;
  /** @throws {Skip} if the requests can't be made */
  readonly prepare?: (session: Session) => Promise<void>;
}

/** Requests without a token, for unknown ids. AUTH-07 and ERR-01 share the responses. */
const TOKENLESS = {
  ...{ requires: [], authorization: undefined, sharedAs: "requests without a token" },
  calls: async () => securedOperations.map(callWithUnknownIds),
} satisfies Partial<Refusal>;

/** Creates a check that the requests are refused. */
function refusing(refusal: Refusal): Check {
  const { claims, claimsOf = () => claims, title, requires, authorization } = refusal;
  const { calls = callsOfAll, sharedAs, prepare } = refusal;
  const sendAll = async (session: Session) => {
    const all = await calls(session);
    return Promise.all(all.map((call) => orSkip(sendAs(session, call, authorization))));
  };
  return {
    claims: namedClaims(claims),
    title,
    requires,
    run: async (session) => {
      await prepare?.(session);
      const assertions = new ClaimAssertions();
      const sent = await (sharedAs ? session.share(sharedAs, sendAll) : sendAll(session));
      for (const one of sent) {
        if (one instanceof Skip) continue;
        const { call, exchange } = one;
        const beside = call.accepted ? [call.accepted] : [];
        for (const claim of claimsOf(call.operation)) {
          assertions.of(claim, ...situationsOf(call)).all(refused(claim, exchange, ...beside));
        }
      }
      const unsent = sent.find((one) => one instanceof Skip);
      return assertions.result("no request was sent", unsent);
    },
  };
}

/** Lists, single resources and PATCH have claims of their own. */
function byOperation(requirement: "AUTH-07" | "AUTH-11") {
  const claimOf = (operation: string): ClaimId =>
    operation.startsWith("PATCH")
      ? `${requirement}.patch`
      : `${requirement}.${operation.includes("{") ? "singles" : "lists"}`;
  return {
    claims: [`${requirement}.lists`, `${requirement}.singles`, `${requirement}.patch`] as const,
    claimsOf: (operation: string) => [claimOf(operation)],
  };
}

/** Checks that secured operations refuse missing and invalid tokens. */
export const refusals: readonly Check[] = [
  // AUTH-07: An API request without an Authorization header gets 401, on every resource endpoint.
  refusing({
    ...{ ...byOperation("AUTH-07"), title: "every endpoint requires a token", ...TOKENLESS },
  }),
  ...NO_TOKEN.map(([title, authorization]) =>
    refusing({
      ...byOperation("AUTH-07"),
      ...{ title, requires: ["state"], authorization },
      calls: async (session) => {
        const later = (await laterPagesOf(session)).map((one) => ({ ...one, method: "GET" }));
        return [...(await callsOfAll(session)), ...later];
      },
      prepare: (session) => session.requireToken(),
    }),
  ),
  // AUTH-08: An API request whose token is malformed, unsigned (alg none), re-signed with another
  // key, or altered gets 401.
  ...(Object.keys(TAMPERED) as TamperedToken[]).map((kind) => {
    const [claim, what] = TAMPERED[kind];
    return refusing({
      claims: [claim, "AUTH-08.everywhere"],
      ...{ title: `${what} is rejected with 401`, requires: ["state"] },
      authorization: headerOf(kind),
      prepare: (session) => requireSignedToken(session, kind),
    });
  }),
  // AUTH-11: SDK credentials are only for card enrollment: every resource endpoint rejects their
  // token (with 401 or 403; which one is not specified).
  refusing({
    ...byOperation("AUTH-11"),
    ...{ title: "every endpoint rejects SDK tokens", requires: ["state", "sdkCredentials"] },
    ...{ authorization: SDK, prepare: requireSdkToken },
  }),
];

/** Checks that requests without a valid token or with wrong credentials get 401. */
export const errors: readonly Check[] = [
  // ERR-01: Failed authentication gets 401, on the token endpoint and on every API endpoint.
  refusing({
    ...{ claims: ["ERR-01.api"], title: "an API request without a token is rejected with 401" },
    ...TOKENLESS,
  }),
  refusing({
    claims: ["ERR-01.api"],
    title: "an API request with an invalid token is rejected with 401",
    ...{
      requires: ["state"],
      authorization: headerOf("opaque"),
      prepare: (session) => session.requireToken(),
    },
  }),
  ...Object.entries(wrongCredentials).map(([field, request]) =>
    rejects("ERR-01.token-endpoint", `a wrong ${field}`, request),
  ),
];

/** A PATCH of an existing bank link that must be refused, and change nothing. */
interface RefusedPatch {
  readonly claim: ClaimId;
  readonly how: string;
  readonly requires?: readonly Capability[];
  readonly authorizations: readonly (string | undefined)[];
  readonly prepare?: Refusal["prepare"];
}

const PATCHES: readonly RefusedPatch[] = [
  {
    ...{ claim: "AUTH-07.patch", how: "without a token" },
    authorizations: NO_TOKEN.map(([, authorization]) => authorization),
  },
  {
    ...{ claim: "AUTH-08.everywhere", how: "with an invalid token" },
    authorizations: Object.keys(TAMPERED).map(headerOf),
  },
  {
    ...{ claim: "AUTH-11.patch", how: "with an SDK token", requires: ["sdkCredentials"] },
    ...{ authorizations: [SDK], prepare: requireSdkToken },
  },
  // AUTH-12: A token of one account gives no access to data of another account.
  {
    ...{ claim: "AUTH-12.patch", how: "with another account's token", requires: ["secondAccount"] },
    authorizations: ["Bearer $TXFEED_SECOND_TOKEN"],
    prepare: async (session) =>
      requireToken(await secondAccountExchange(session), "the second account's credentials"),
  },
];

/** They require `writes`, because a PATCH that is accepted changes the target. */
export const refusedPatches: readonly Check[] = PATCHES.map(
  ({ claim, how, requires = [], authorizations, prepare }): Check => ({
    claims: [claim],
    title: `an existing bank link rejects PATCH ${how}`,
    requires: ["state", "writes", ...requires],
    run: async (session) => {
      await prepare?.(session);
      const link = await linkToPatch(session, how);
      if (!link) return new Skip("the only bank link is the one that the run may complete");
      const skip = new Skip("no request was sent");
      const call = { method: "PATCH", path: `/bank-links/${encodeURIComponent(link.id)}` };
      const patch = { ...call, headers: { "content-type": "application/json" }, body: "{}" };
      const responses = await Promise.all(
        authorizations.map((authorization) =>
          session.send(withAuthorization(patch, authorization)),
        ),
      );
      const find = (exchange: Exchange) => refused(claim, exchange);
      const found = await each(responses, skip, find, () => ["existing"]);
      if (found instanceof Skip || !link.before || found.breaches.length > 0) return found;
      return { ...found, breaches: await changes(session, link, responses) };
    },
  }),
);

/** A bank link, and its item in the list if only this run can have changed it. */
interface LinkToPatch {
  readonly id: string;
  readonly before?: unknown;
}

/** An incomplete link for each kind of request, or any that the run does not complete. */
async function linkToPatch(session: Session, how: string): Promise<LinkToPatch | undefined> {
  if (hasVerbs(session, "startLink")) {
    return session.share(`a link is started for PATCH ${how}`, async (own) => {
      const accounts = [{ type: "depository" }] as const;
      const { bankLinkId: id } = await drive(own, "startLink", { accounts });
      return { id, before: await listedLink(own, id) };
    });
  }
  const pages = (await feedOf(session)).walks.get("GET /bank-links")?.pages ?? [];
  const ids = pages.flatMap(({ items }) => items.map((item) => memberOf(item, "id")));
  const id = ids.find((one) => typeof one === "string" && one !== session.capabilities.bankLinkId);
  return id === undefined ? undefined : { id: String(id) };
}

async function listedLink(session: Session, id: string): Promise<unknown> {
  const { pages } = await walk(session, "GET /bank-links", { limit: maxPageSize });
  return pages.flatMap(({ items }) => items).find((item) => memberOf(item, "id") === id);
}

/** What refused requests changed: the link is completed, or its item is another one. */
async function changes(
  session: Session,
  { id, before }: LinkToPatch,
  [request, ...others]: readonly Exchange[],
): Promise<Breach[]> {
  if (!request) return [];
  const expected = "a refused request changes nothing";
  const evidence = [request, ...others] as const;
  if (await isCompleted(session, id)) {
    return [{ expected, actual: `banklink.completed of ${id}`, evidence }];
  }
  if (isDeepStrictEqual(await listedLink(session, id), before)) return [];
  return [{ expected, actual: "the link's item in the list changed", evidence }];
}

async function isCompleted(session: Session, id: string): Promise<boolean> {
  if (!session.capabilities.deliveries) return false;
  const deliveries = (await unlessSkipped(deliveriesSince(session, 0, () => true))) ?? [];
  const named = deliveries.filter(({ name }) => name === "banklink.completed");
  return named.some(({ json }) => memberOf(json, "bankLinkId") === id);
}

function situationsOf({ operation, accepted }: SecuredCall): Situation[] {
  if (!operation.includes("{")) return [operation.split("/")[1] as Situation];
  const kind = operation.startsWith("PATCH") ? "patch" : "alone";
  return [kind, accepted ? "existing" : "unknown-id"];
}

export function callsOfAll(session: Session): Promise<SecuredCall[]> {
  return Promise.all(securedOperations.map((key) => callOf(session, key)));
}

/** Sends a request with an Authorization header, or without one. */
export async function sendAs(
  session: Session,
  call: SecuredCall,
  authorization: string | undefined,
) {
  return { call, exchange: await session.send(withAuthorization(call, authorization)) };
}

async function requireSdkToken(session: Session): Promise<void> {
  requireToken(await sdkExchange(session), "the SDK credentials");
}

/** @throws {Skip} if the run's token can't be tampered with */
async function requireSignedToken(session: Session, kind: TamperedToken): Promise<void> {
  const token = memberOf((await session.tokenExchange()).response?.json, "access_token");
  if (typeof token !== "string") throw await session.skip("there is no token to tamper with");
  if (kind === "malformed" || kind === "opaque") return;
  const isSigned = (token.split(".")[2] ?? "") !== "";
  if (isSigned && claimsOf(token, "header")["alg"] !== undefined) return;
  throw new Skip("the token is not a signed JWT: see AUTH-02");
}

/** The statuses that refuse a request, if others than 401 do. */
const REFUSALS: Readonly<Record<string, readonly [string, (status: number) => boolean]>> = {
  "AUTH-11": ["401 or 403", (status) => status === 401 || status === 403],
  "AUTH-12": ["a 4xx", (status) => status >= 400 && status < 500],
};

function refused(claim: ClaimId, exchange: Exchange, ...beside: Exchange[]): Breach[] {
  const own = REFUSALS[requirementOf({ claims: [claim] })];
  if (!own) return unauthorized(exchange);
  const [expected, isRight] = own;
  if (isRight(exchange.response?.status ?? 0)) return [];
  return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, ...beside] }];
}
