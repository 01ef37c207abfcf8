import { type EventPayloads, eventNames } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import { type ClaimId, claimIds, type Situation } from "../../../generated/requirements.ts";
import { responseSchemaNames } from "../../../generated/schema-index.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import type { Finding } from "../../../src/contract/finding.ts";
import { CLAIMS_ON_DELETIONS } from "../../../src/contract/history/bank-transactions.ts";
import { CLAIMS_ON_RETRACTIONS } from "../../../src/contract/history/matches.ts";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import type { OperationWithResponse } from "../../../src/contract/validate.ts";
import { ClaimAssertions } from "../../assert.ts";
import {
  type Breach,
  byRequirement,
  type Check,
  type ClaimBreach,
  type Found,
  namedClaims,
  type Session,
  Skip,
} from "../../check.ts";
import { type SeenResource, seenResources } from "../../observe/bodies.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";
import { claimsOfBody } from "../../observe/validation.ts";
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
const NETWORK_C = {
  flags: "use a card of NETWORK_C; --networks names its code",
  options: "use a card of NETWORK_C; networks names its code",
};

/** Why there is no case of something, and how to make one. */
export const none = {
  transaction: new Skip("no transaction", "use a card"),
  cardless: new Skip(
    "no transaction with cardId null",
    "post at the bank to an account without a linked card",
  ),
  superseded: new Skip("no transaction with a superseded message", SUPERSEDED),
  projection: new Skip(
    "no transaction with _embedded.messages",
    "switch the projection on for the account",
  ),
  bankOnly: new Skip(
    "no transaction on OPEN_BANKING that projects its message",
    "post a bank-only movement at the bank",
  ),
  otherNetwork: new Skip(
    "no message of a network other than NETWORK_C",
    "use a card of another network",
  ),
  traceId: new Skip("no message of NETWORK_C with a traceId", NETWORK_C),
  bankSourced: new Skip(
    "no message with bankData",
    "post a purchase or a bank-only movement at the bank",
  ),
} as const;

/** The claims that need a certain body. The others need one of an event, or with a field. */
const NEEDS: readonly (readonly [Skip, ...ClaimId[]])[] = [
  [new Skip("no transaction with a cardId", "use a card"), "TXN-02.card-id", "TXN-03.present"],
  [none.cardless, "TXN-02.null-cardless", "TXN-03.omitted"],
  [none.superseded, "TXN-06.unique", "TXN-06.subset"],
  [none.projection, "TXN-07.projects-same", "TXN-08.unmarked", "TXN-10.array"],
  [new Skip("no transaction that projects a superseded message", SUPERSEDED), "TXN-08.marked"],
  [
    new Skip("no transaction with settled amounts that are clearly a sum", "settle a purchase"),
    ...(["TXN-09.sums", "TXN-09.billing"] as const),
  ],
  [
    new Skip(
      "no transaction with a superseded message and settled amounts that are clearly a sum",
      SUPERSEDED,
    ),
    "TXN-09.excludes-superseded",
  ],
  [none.bankOnly, "TXN-16.network", "TXN-16.no-approval-code"],
  [none.bankOnly, "TXN-16.reference", "TXN-16.bank-data"],
  [
    new Skip("no standalone message", "use a card"),
    ...(["MSG-01.required", "MSG-01.types", "MSG-02.not-standalone"] as const),
  ],
  [none.projection, "MSG-01.projection-fields", "MSG-02.in-projection"],
  [none.otherNetwork, "MSG-04.null-elsewhere"],
  [none.traceId, "MSG-05.digits"],
  [
    new Skip("no standalone message on OPEN_BANKING", "post a bank-only movement at the bank"),
    "MSG-06.none-bank-only",
  ],
  [new Skip("no authorization on NETWORK_C", NETWORK_C), "MSG-06.none-network-c"],
  [new Skip("no authorization", "use a card"), "MSG-08.null-card"],
  [none.bankSourced, "MSG-08.provider", "MSG-08.category"],
];

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
function becauseInvalid({ requirement, message }: Finding): Skip {
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
  const [needs] = NEEDS.find((row) => row.includes(claim)) ?? [];
  if (needs) return session.skip(needs.reason, needs.hint);
  const shownBy = SHOWN_BY.get(claim) ?? [];
  const isOnlyDelivered = shownBy.every((name) => eventNames.some((event) => event === name));
  if (!isOnlyDelivered) return session.skip("no body shows it");
  const missing = missingCapability(["deliveries"], session.capabilities);
  if (missing) return new Skip(missing.reason, missing.hint);
  return new Skip(`no ${shownBy.join(" or ")} with it was delivered`);
}

/** The bodies that are a transaction, a message or a subscription. */
export const KINDS = {
  transaction: [
    ...(["GET /transactions/{transactionId}", "transaction.created"] as const),
    "transaction.updated",
  ],
  message: ["GET /transaction-messages/{id}", "transactionmessage.created", "projected"],
  subscription: [
    ...(["GET /card-subscriptions/{id}", "cardsubscription.created"] as const),
    "cardsubscription.updated",
  ],
} as const satisfies Record<string, readonly SeenResource["kind"][]>;

/** What a body shows of a claim. */
export interface Judgement {
  readonly claim: ClaimId;
  /** What breaks it, with a path within the resource; undefined if it holds. */
  readonly wrong: Wrong | undefined;
}

type Wrong = Pick<Breach, "expected" | "actual"> & { readonly path: string };

export function judged(claim: ClaimId, isRight: boolean, wrong: Wrong): Judgement {
  return { claim, wrong: isRight ? undefined : wrong };
}

/** Judges the value at a path of a body, as a JSON pointer. */
export function judgedAt(
  claim: ClaimId,
  body: unknown,
  path: string,
  expected: string,
  isRight: (value: unknown) => boolean,
): Judgement {
  const value = valueAt(body, segmentsOf(path));
  return judged(claim, isRight(value), { path, expected, actual: describeValue(value) });
}

interface SeenRule extends Partial<Pick<Check, "requires">> {
  readonly title: string;
  readonly kinds: readonly SeenResource["kind"][];
  /** Judges a body; empty if it is no case. */
  readonly judge: (body: unknown, seen: SeenResource, session: Session) => readonly Judgement[];
  /** Why there is no case. */
  readonly none: Skip;
  /** Whether it needs a valid body. */
  readonly ofValid?: true;
}

/** Creates a check of single bodies, by a rule that the contract does not have. */
export function eachSeen(claims: readonly ClaimId[], rule: SeenRule): Check {
  const { title, kinds, judge, none, ofValid, requires = [] } = rule;
  return {
    claims: namedClaims(claims),
    title,
    requires,
    wants: ["deliveries"],
    phase: "compare",
    run: async (session) => {
      const own = (await seenResources(session)).filter(({ kind }) => kinds.includes(kind));
      const isInvalid = ({ invalidBy }: SeenResource) => invalidBy?.level === "error";
      const cases = ofValid ? own.filter((one) => !isInvalid(one)) : own;
      const assertions = new ClaimAssertions();
      for (const one of cases) {
        for (const { claim, wrong } of judge(one.body, one, session)) {
          const path = `${one.at}${wrong?.path}`;
          const breaches = wrong ? [{ ...wrong, path, evidence: [one.message] as const }] : [];
          assertions.of(claim, ...one.situations).all(breaches);
        }
      }
      const invalid = cases.length === 0 ? own.find(isInvalid)?.invalidBy : undefined;
      const found = assertions.result("");
      if (!(found instanceof Skip)) return found;
      return invalid ? becauseInvalid(invalid) : session.skip(none.reason, none.hint);
    },
  };
}

/** The claim on the path of a link, by the operation that it leads to. */
type LinkClaims = Readonly<Partial<Record<ReadOperation, ClaimId>>>;

/** Creates a check that links of some bodies have the paths that the interface defines. */
export function linksLeadTo(
  claims: LinkClaims,
  rule: Pick<SeenRule, "title" | "kinds" | "requires"> & {
    /** The operation that each link leads to, by name. */
    readonly names: Readonly<Record<string, ReadOperation>>;
  },
): Check {
  const { names, ...shown } = rule;
  return eachSeen(
    Object.values(names).flatMap((operation) => claims[operation] ?? []),
    {
      ...shown,
      judge: (body) =>
        Object.entries(names).flatMap(([name, operation]) => {
          const claim = claims[operation];
          const links = valueAt(body, ["_links", name]);
          return [links].flat().flatMap((link, i): Judgement[] => {
            const href = memberOf(link, "href");
            if (!claim || typeof href !== "string" || !href.startsWith("/")) return [];
            const path = `/_links/${name}${Array.isArray(links) ? `/${i}` : ""}/href`;
            const { path: expected } = operations[operation];
            const wrong = { path, expected, actual: href };
            return [judged(claim, operationAt(href) === operation, wrong)];
          });
        }),
      none: new Skip(`no body has a link ${Object.keys(names).join(", ")}`),
    },
  );
}

const FEED = "GET /network-bulk-feeds/{id}";
const OF_FEED = { kinds: ["networkbulkfeed.statechanged"], requires: ["deliveries"] } as const;

/** Checks of the events of feeds and links. Those of other resources are in their folders. */
export const seenEvents: readonly Check[] = [
  // NBF-01: networkbulkfeed.statechanged has the fields of the bulk feed table with oldState and
  // newState.
  linksLeadTo(
    { [FEED]: "NBF-01.self" },
    {
      title: "the self link of a feed's event has the specified path",
      ...OF_FEED,
      names: { self: FEED },
    },
  ),
  // NBF-02: errorReason is present only if newState is failed, currently only for feeds of
  // NETWORK_B.
  eachSeen(["NBF-02.present"], {
    title: "a rejected feed of NETWORK_B has an errorReason",
    ...{ ...OF_FEED, ofValid: true },
    judge: (body, _, { capabilities }) => {
      const has = (name: string, value: string) => memberOf(body, name) === value;
      const isRejected = has("oldState", "submitted") && has("newState", "failed");
      if (!isRejected || !has("network", capabilities.networks.b)) return [];
      const expected = "the reason of the rejection";
      const isThere = (reason: unknown) => reason !== undefined;
      return [judgedAt("NBF-02.present", body, "/errorReason", expected, isThere)];
    },
    none: new Skip("no feed of NETWORK_B was rejected"),
  }),
  // BLK-01: banklink.completed has bankLinkId and bankAccounts[] with id, name, mask (last 4
  // digits), type, cardIds.
  eachSeen(["BLK-01.mask"], {
    title: "the mask of a credit account is its card's last 4 digits",
    ...{ kinds: ["banklink.completed"], ofValid: true, requires: ["deliveries"] },
    judge: (body) =>
      (body as EventPayloads["banklink.completed"]).bankAccounts.flatMap(
        ({ type, mask, cards = [], cardIds }, index): Judgement[] => {
          // A link that did not create all cards does not show their digits.
          if (type !== "credit" || cards.length === 0 || cards.length < cardIds.length) return [];
          const digits = cards.map(({ last4digits }) => last4digits);
          const expected = `the last 4 digits of its card: ${digits.join(" or ")}`;
          const wrong = { path: `/bankAccounts/${index}/mask`, expected, actual: mask };
          return [judged("BLK-01.mask", digits.includes(mask), wrong)];
        },
      ),
    none: new Skip("no completion created all cards of a credit account"),
  }),
];
