import { derivedClaims } from "../../generated/derived.ts";
import {
  type ClaimId,
  claims,
  type RequirementId,
  type Situation,
} from "../../generated/requirements.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import { bodyOf, breachAt, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { breachesOf } from "../observe/bodies.ts";
import {
  contentOf,
  distinctEvents,
  type Sample,
  textAt,
  undueEvents,
} from "../observe/deliveries/find.ts";
import { checkHistory } from "../observe/deliveries/history.ts";
import type { Feed } from "../observe/feed.ts";
import { collections } from "../observe/operations.ts";
import { validatedDelivery, validatedResponse } from "../observe/validation.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import type { Forbidden, Owed, Wanted } from "./row.ts";
import type { World } from "./world.ts";

/** A claim that a step decided. */
export interface Decision {
  readonly claim: ClaimId;
  /** Empty if it holds. */
  readonly violations: readonly Violation[];
  /** The situations in which it is decided, besides those of the step. */
  readonly in?: readonly Situation[];
}

/** What a step breaks. */
export interface Violation {
  readonly requirement: RequirementId;
  readonly claim: ClaimId;
  readonly level: "error" | "warning";
  readonly breach: Breach;
  /** Whether deliveries that came twice or overtook each other could explain it (WHK-04). */
  readonly isAboutDelivery?: true;
}

/** Creates a violation of a claim. A breach of what is derived from the interface is a warning. */
export function violation(claim: ClaimId, breach: Breach): Violation {
  const isWarning = breach.isWarning === true || derivedClaims.has(claim);
  const { requirement } = claims[claim];
  return { requirement, claim, level: isWarning ? "warning" : "error", breach };
}

/** The deliveries of an owed event. */
export function deliveriesOf(owed: Owed, deliveries: readonly Delivery[]): Delivery[] {
  return deliveries.filter(({ name, json }) => name === owed.event && owed.is(json));
}

/**
 * Judges an owed event: it came, once if it must, and one of its deliveries is correct, or each if
 * it comes once.
 *
 * @param sample Tells repeated deliveries from repeated events.
 * @param requiredBy What shows that it is owed.
 */
export function judgeOwed(
  owed: Owed,
  deliveries: readonly Delivery[],
  sample: Sample,
  requiredBy: Message,
): Decision[] {
  const { claims: own, what, once } = owed;
  const found = deliveriesOf(owed, deliveries);
  if (found.length === 0) {
    const evidence = [requiredBy] as const;
    const breach = { expected: what, actual: "it was not delivered", evidence };
    return own.map((claim) => ({ claim, violations: [violation(claim, breach)] }));
  }
  const came: Decision[] = own.map((claim) => ({ claim, violations: [] }));
  if (once === undefined) {
    const count = (all: readonly Decision[]) => all.flatMap(({ violations }) => violations).length;
    const judged = found.map((delivery) => judgeBody(owed, delivery));
    return [...came, ...(judged.toSorted((one, other) => count(one) - count(other))[0] ?? [])];
  }
  const distinct = distinctEvents(found, sample);
  const each = distinct.flatMap((delivery) => judgeBody(owed, delivery));
  const [first, ...others] = distinct.toReversed();
  if (!first || others.length === 0) return [...came, { claim: once, violations: [] }, ...each];
  const actual = `${others.length + 1} were delivered`;
  const breach = { expected: `one ${what}`, actual, evidence: [first, ...others] as const };
  const twice = { ...violation(once, breach), isAboutDelivery: true } as const;
  return [...came, ...each, { claim: once, violations: [twice] }];
}

/** Judges what the body of an owed event, or the resource that it is about, must have. */
export function judgeBody({ wants = [] }: Owed, message: Message): Decision[] {
  return wants.flatMap((wanted) => judgeWanted(wanted, message));
}

/** Judges a part of a body; nothing if the body does not decide it. */
export function judgeWanted(
  { claim, breaches, isAboutDelivery, in: own = [] }: Wanted,
  message: Message,
): Decision[] {
  const violations = breaches(message)?.map((breach) => ({
    ...violation(claim, breach),
    ...(isAboutDelivery && { isAboutDelivery }),
  }));
  return violations ? [{ claim, violations, in: own }] : [];
}

/**
 * Judges an event that may not come. A delivery that repeats an earlier one is allowed (WHK-04).
 *
 * @param heard The deliveries of the step, those of the script before it, and a sample that shows
 *   whether the sender repeats deliveries.
 * @param shown What shows that it may not come.
 */
export function judgeForbidden(
  { claim, event, what, is }: Forbidden,
  heard: Readonly<Record<"deliveries" | "before", readonly Delivery[]>> & {
    readonly sample: Sample;
  },
  shown: Message,
): Decision {
  const found = heard.deliveries.filter(({ name, json }) => name === event && is(json));
  const [more] = undueEvents(found, heard.before, heard.sample);
  if (!more) return { claim, violations: [] };
  const same = heard.before.find((one) => contentOf(one) === contentOf(more));
  const evidence = [more, ...(same ? [same] : []), shown] as const;
  const breach = { expected: `no ${what}`, actual: "one was delivered", evidence };
  const unowed = violation(claim, breach);
  return { claim, violations: [same ? { ...unowed, isAboutDelivery: true } : unowed] };
}

/** Judges single bodies by the contract. */
export function judgeDeliveries(
  deliveries: readonly Delivery[],
  capabilities: Capabilities,
): Violation[] {
  return deliveries.flatMap((one) => byContract(validatedDelivery(one, capabilities), one));
}

/** Judges a response by the contract. */
export function judgeResponse(
  operation: OperationWithResponse,
  exchange: Exchange,
  capabilities: Capabilities,
): Violation[] {
  if (bodyOf(exchange) === undefined) return [];
  return byContract(validatedResponse(operation, exchange, capabilities), exchange);
}

function byContract(
  { findings }: Pick<ReturnType<typeof validatedDelivery>, "findings">,
  evidence: Message,
): Violation[] {
  return breachesOf(findings, evidence).map((breach) => violation(breach.claim, breach));
}

/** The API before a script: it had none of the script's resources. */
const NOTHING_BEFORE: Feed = {
  walks: new Map(
    collections.map((operation) => [operation, { operation, pages: [], end: { kind: "last" } }]),
  ),
  responses: [],
  links: [],
  of: () => [],
  at: () => undefined,
};

/** Judges the deliveries of a script against each other. */
export function judgeHistory(
  deliveries: readonly Delivery[],
  capabilities: Capabilities,
): { readonly violations: Violation[]; readonly isOpen: boolean } {
  const { breaches, isOpen } = checkHistory(deliveries, NOTHING_BEFORE, capabilities);
  const violations = breaches.map((breach): Violation => {
    return { ...violation(breach.claim, breach), isAboutDelivery: true };
  });
  return { violations, isOpen };
}

/** MAT-07: the id of a retracted match never comes back. A delivery may be repeated. */
export function reusedIds(
  before: World,
  deliveries: readonly Delivery[],
  sample: Sample,
): Violation[] {
  return deliveries.flatMap((delivery): Violation[] => {
    const id = textAt(delivery.json, "/matchId");
    const isSame = ({ name, json }: Delivery) =>
      name === "transaction.match.created" && textAt(json, "/matchId") === id;
    const first = before.deliveries.find(isSame);
    const isNew = first && isSame(delivery) && !before.matches.has(id ?? "");
    if (!isNew || distinctEvents([first, delivery], sample).length < 2) return [];
    return [violation("MAT-07.new-ids", breachAt(delivery, "/matchId", "a new id", first))];
  });
}
