import type { ClaimId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { type Check, type ClaimBreach, namedClaims, type Session, Skip } from "../../check.ts";
import {
  type Comparison,
  compareListed,
  compareOwnership,
  compareProjections,
  type Difference,
} from "../../observe/differences.ts";
import { LISTED_BY, type ListedOperation } from "../../observe/operations.ts";
import { situationsOf } from "../../observe/situations.ts";
import { none } from "./bodies.ts";

/** Two views of the same resources, such as in a list and by itself, and how they agree. */
interface Views {
  readonly claims: readonly ClaimId[];
  readonly title: string;
  readonly compare: (session: Session) => Promise<Comparison>;
  /** Which of the two is reported, and what the other one is. */
  readonly wrong: "one" | "other";
  readonly as: string;
  /** The claim that a difference breaks; default: the only claim. */
  readonly claimOf?: (difference: Difference) => ClaimId | undefined;
  /** Whether a pair of bodies is a case; default: each is. */
  readonly isCase?: (body: unknown) => boolean;
  readonly areSituated?: true;
  readonly none: Skip;
}

const NO_PAIR = new Skip("no resource was fetched both in the list and by id");

const PROJECTED = {
  ...{ compare: compareProjections, wrong: "one" as const, as: "as fetched by id" },
};

/** A traceId: the comparison takes a missing one as null. */
const TRACED = {
  ...PROJECTED,
  isCase: (body: unknown) => typeof memberOf(body, "traceId") === "string",
  none: none.traceId,
};

/** The operations of listed resources, and the claims that they agree with their lists. */
const LISTED: readonly (readonly [ListedOperation, ofList: ClaimId, alone: ClaimId])[] = [
  ["GET /subaccounts/{id}", "EP-01.same-as-single", "EP-13.same-as-listed"],
  ["GET /cards/{id}", "EP-02.same-as-single", "EP-13.same-as-listed"],
  ["GET /transactions/{transactionId}", "EP-03.same-as-single", "EP-04.same-as-listed"],
  ["GET /bank-accounts/{id}", "EP-08.same-as-single", "EP-13.same-as-listed"],
  ["GET /bank-transactions/{subaccountId}/{id}", "EP-09.same-as-single", "EP-10.same-as-listed"],
  [
    "GET /transaction-matches/{subaccountId}/{matchId}",
    ...(["EP-11.same-as-single", "EP-12.same-as-listed"] as const),
  ],
];

const VIEWS: readonly Views[] = [
  ...LISTED.flatMap(([operation, ofList, alone]): Views[] => {
    const compare = (session: Session) => compareListed(session, operation);
    const title = `each item of ${LISTED_BY[operation]} equals the resource with its id`;
    return [
      { claims: [ofList], title, compare, wrong: "one", as: "as fetched by id", none: NO_PAIR },
      {
        ...{ claims: [alone], title: `${operation} equals its listing`, compare },
        ...{ wrong: "other", as: "as listed", none: NO_PAIR },
      },
    ];
  }),
  // TXN-11: supersededMessageIds is a full snapshot: mirroring it is an idempotent replace; it is
  // empty for transactions last updated before the field existed.
  {
    claims: ["TXN-11.same-as-get"],
    title: "the list and GET by id show the same supersededMessageIds",
    compare: (session) => compareListed(session, "GET /transactions/{transactionId}"),
    ...{ wrong: "other" as const, as: "as listed" },
    claimOf: ({ path }) => (path === "/supersededMessageIds" ? "TXN-11.same-as-get" : undefined),
    none: new Skip("no transaction was fetched both in the list and by id"),
  },
  // MSG-04: traceId is null on every network other than NETWORK_C; only there is it populated.
  {
    ...TRACED,
    claims: ["MSG-04.populated-projection", "MSG-04.populated-get"],
    title: "a traceId is in both the message and its projection",
    // A one-sided traceId is missing where the value is null.
    claimOf: ({ path, one, other }) => {
      if (path !== "/traceId") return undefined;
      if (one === "null") return "MSG-04.populated-projection";
      return other === "null" ? "MSG-04.populated-get" : undefined;
    },
  },
  // MSG-05: traceId is a string of digits of any width, leading zeros significant, treated as
  // opaque; it is never a number.
  {
    ...TRACED,
    claims: ["MSG-05.same-everywhere"],
    title: "a message and its projection have exactly the same traceId",
    claimOf: ({ path, one, other }) =>
      path === "/traceId" && one !== "null" && other !== "null"
        ? "MSG-05.same-everywhere"
        : undefined,
  },
  // MSG-12: The projection of a message in a transaction agrees with the standalone message on
  // every field they share.
  {
    ...PROJECTED,
    claims: ["MSG-12.agrees"],
    title: "a projection agrees with its standalone message",
    areSituated: true,
    none: new Skip("no message was fetched both by id and in its transaction"),
  },
  {
    claims: ["MSG-12.owners-agree"],
    title: "a standalone message has the subaccount and card of its transaction",
    compare: compareOwnership,
    ...{ wrong: "one" as const, as: "as in its transaction" },
    none: new Skip("no message of a transaction was fetched by id"),
  },
];

/** Checks that two responses show the same of a resource. */
export const viewChecks: readonly Check[] = VIEWS.map(
  ({ claims, title, compare, wrong, as, isCase = () => true, none: skip, ...rule }): Check => ({
    claims: namedClaims(claims),
    title,
    requires: ["state"],
    run: async (session) => {
      const { compared, mismatches } = await compare(session);
      const cases = compared.filter(({ one, other }) => isCase(one.body) || isCase(other.body));
      if (cases.length === 0) return session.skip(skip.reason, skip.hint);
      const { claimOf = () => claims[0], areSituated } = rule;
      const { networks } = session.capabilities;
      const breaches = mismatches.flatMap(({ differences, ...pair }) =>
        differences.flatMap((difference): ClaimBreach[] => {
          const claim = claimOf(difference);
          if (claim === undefined) return [];
          const right = wrong === "one" ? "other" : "one";
          const expected = `${difference[right]}, ${as}`;
          const evidence = [pair[wrong].exchange, pair[right].exchange] as const;
          const path = `${pair[wrong].at}${difference.path}`;
          return [{ claim, path, expected, actual: difference[wrong], evidence }];
        }),
      );
      const situations = cases.flatMap(({ one }) => situationsOf(one.body, networks));
      return { assertions: cases.length, breaches, ...(areSituated && { situations }) };
    },
  }),
);
