import { eventNames } from "../../../generated/events.ts";
import { type ClaimId, claimIds, type Situation } from "../../../generated/requirements.ts";
import { responseSchemaNames } from "../../../generated/schema-index.ts";
import type { Finding } from "../../../src/contract/finding.ts";
import { CLAIMS_ON_DELETIONS } from "../../../src/contract/history/bank-transactions.ts";
import { CLAIMS_ON_RETRACTIONS } from "../../../src/contract/history/matches.ts";
import type { OperationWithResponse } from "../../../src/contract/validate.ts";
import {
  byRequirement,
  type Check,
  type ClaimBreach,
  type Found,
  type Session,
} from "../../check.ts";
import { type SeenResource, seenResources } from "../../observe/bodies.ts";
import { claimsOfBody } from "../../observe/validation.ts";
import { Skip } from "../../skip.ts";
import { missingCapability } from "../../target.ts";

/** The claims that a body can violate, with the events and responses that show them. */
const SHOWN_BY = shownBy();

function shownBy(): ReadonlyMap<ClaimId, readonly string[]> {
  const bodies = [...eventNames, ...(Object.keys(responseSchemaNames) as OperationWithResponse[])];
  const found = new Map<ClaimId, string[]>();
  for (const name of bodies) {
    for (const claim of claimsOfBody(name)) {
      found.set(claim, [...(found.get(claim) ?? []), name]);
    }
  }
  return found;
}

/** The claims that one body can violate but not prove: those of histories and of whole walks. */
const UNPROVEN = new Set<ClaimId>([
  ...CLAIMS_ON_DELETIONS,
  ...CLAIMS_ON_RETRACTIONS,
  ...(["PAGE-05.absent", "PAGE-07.absent"] as const),
]);

const SUPERSEDED = "let the network clear a purchase that a bank posting has settled";
const PROJECTION = "switch the projection on for the account";
const NETWORK_C = {
  flags: "use a card of NETWORK_C; --networks names its code",
  options: "use a card of NETWORK_C; networks names its code",
};

/** Why there is no case of something, and how to make one. */
export const none = {
  transaction: new Skip("no transaction", "use a card"),
  card: new Skip("no transaction with a cardId", "use a card"),
  cardless: new Skip(
    "no transaction with cardId null",
    "post at the bank to an account without a linked card",
  ),
  superseded: new Skip("no transaction with a superseded message", SUPERSEDED),
  projection: new Skip("no transaction with _embedded.messages", PROJECTION),
  markedProjection: new Skip("no transaction that projects a superseded message", SUPERSEDED),
  sum: new Skip("no transaction with settled amounts that are clearly a sum", "settle a purchase"),
  supersededSum: new Skip(
    "no transaction with a superseded message and settled amounts that are clearly a sum",
    SUPERSEDED,
  ),
  bankOnly: new Skip(
    "no transaction on OPEN_BANKING that projects its message",
    "post a bank-only movement at the bank",
  ),
  message: new Skip("no standalone message", "use a card"),
  otherNetwork: new Skip(
    "no message of a network other than NETWORK_C",
    "use a card of another network",
  ),
  traceId: new Skip("no message of NETWORK_C with a traceId", NETWORK_C),
  bankOnlyMessage: new Skip(
    "no standalone message on OPEN_BANKING",
    "post a bank-only movement at the bank",
  ),
  authorizationOnC: new Skip("no authorization on NETWORK_C", NETWORK_C),
  authorization: new Skip("no authorization", "use a card"),
  bankSourced: new Skip(
    "no message with bankData",
    "post a purchase or a bank-only movement at the bank",
  ),
  subscription: new Skip("no card subscription was shown", {
    flags: "deliveries link to them: give --webhook-listen HOST:PORT",
    options: "deliveries link to them: give webhooks",
  }),
} as const;

/** The claims that need a certain body. The others need one of an event, or with a field. */
const NEEDS: Readonly<Partial<Record<ClaimId, Skip>>> = {
  "TXN-02.card-id": none.card,
  "TXN-02.null-cardless": none.cardless,
  "TXN-03.present": none.card,
  "TXN-03.omitted": none.cardless,
  "TXN-06.unique": none.superseded,
  "TXN-06.subset": none.superseded,
  "TXN-07.projects-same": none.projection,
  "TXN-08.marked": none.markedProjection,
  "TXN-08.unmarked": none.projection,
  "TXN-09.sums": none.sum,
  "TXN-09.excludes-superseded": none.supersededSum,
  "TXN-09.billing": none.sum,
  "TXN-10.array": none.projection,
  "TXN-16.network": none.bankOnly,
  "TXN-16.no-approval-code": none.bankOnly,
  "TXN-16.reference": none.bankOnly,
  "TXN-16.bank-data": none.bankOnly,
  "MSG-01.required": none.message,
  "MSG-01.projection-fields": none.projection,
  "MSG-01.types": none.message,
  "MSG-02.not-standalone": none.message,
  "MSG-02.in-projection": none.projection,
  "MSG-04.null-elsewhere": none.otherNetwork,
  "MSG-05.digits": none.traceId,
  "MSG-06.none-bank-only": none.bankOnlyMessage,
  "MSG-06.none-network-c": none.authorizationOnC,
  "MSG-08.null-card": none.authorization,
  "MSG-08.provider": none.bankSourced,
  "MSG-08.category": none.bankSourced,
};

/**
 * A check for each requirement that the contract decides on one body: no body of the run violates
 * it. A claim is decided by each body that shows it.
 */
export const bodyChecks: readonly Check[] = byRequirement(
  claimIds.filter((claim) => SHOWN_BY.has(claim)),
).map((claims) => ({
  claims,
  title: "every body",
  requires: [],
  wants: ["deliveries"],
  phase: "compare",
  run: async (session) => resultOf(claims, await seenResources(session), session),
}));

async function resultOf(
  claims: readonly ClaimId[],
  seen: readonly SeenResource[],
  session: Session,
): Promise<Found<ClaimBreach>> {
  const decided = new Map<ClaimId, Set<Situation>>();
  let assertions = 0;
  for (const one of seen) {
    for (const claim of claims) {
      if (!one.decided.has(claim)) continue;
      assertions += 1;
      if (UNPROVEN.has(claim)) continue;
      const met = decided.get(claim) ?? new Set();
      decided.set(claim, met);
      for (const situation of one.situations) met.add(situation);
    }
  }
  const breaches = seen.flatMap((one) =>
    one.breaches.filter(({ claim }) => claims.includes(claim)),
  );
  const open = new Map<ClaimId, Skip>();
  for (const claim of claims) {
    if (decided.has(claim) || UNPROVEN.has(claim)) continue;
    open.set(claim, await reasonFor(claim, seen, session));
  }
  const isUnproven = claims.every((claim) => UNPROVEN.has(claim));
  return {
    assertions: Math.max(assertions, breaches.length, isUnproven ? seen.length : 0),
    ...{ breaches, decided, open },
  };
}

/** Why something is undecided that only valid bodies show. */
export function becauseInvalid({ requirement, message }: Finding): Skip {
  return new Skip(`each body with it is invalid, such as by ${requirement}: ${message}`);
}

/** Why no body decides a claim. */
async function reasonFor(
  claim: ClaimId,
  seen: readonly SeenResource[],
  session: Session,
): Promise<Skip> {
  const invalid = seen.find(({ open }) => open.has(claim))?.invalidBy;
  if (invalid) return becauseInvalid(invalid);
  const needs = NEEDS[claim];
  if (needs) return session.skip(needs.reason, needs.hint);
  const shownBy = SHOWN_BY.get(claim) ?? [];
  const isOnlyDelivered = shownBy.every((name) => eventNames.some((event) => event === name));
  if (!isOnlyDelivered) return session.skip("no body shows it");
  const missing = missingCapability(["deliveries"], session.capabilities);
  if (missing) return new Skip(missing.reason, missing.hint);
  return new Skip(`no ${shownBy.join(" or ")} with it was delivered`);
}
