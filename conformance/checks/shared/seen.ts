import type { EventPayloads } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, segmentsOf, valueAt } from "../../../src/contract/pointer.ts";
import { ClaimAssertions } from "../../assert.ts";
import { type Breach, type Check, namedClaims, type Session, Skip } from "../../check.ts";
import { type SeenResource, seenResources } from "../../observe/bodies.ts";
import { operationAt, type ReadOperation } from "../../observe/operations.ts";
import { becauseInvalid } from "./bodies.ts";

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
