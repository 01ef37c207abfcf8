import { isDeepStrictEqual } from "node:util";
import { derivedRequirements } from "../../generated/derived.ts";
import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import { bodyOf, breachAt, differences, type Message } from "../assert.ts";
import type { Breach, Session } from "../check.ts";
import { checkHistory } from "../observe/deliveries/history.ts";
import type { Feed } from "../observe/feed.ts";
import { collections } from "../observe/operations.ts";
import { validatedDelivery, validatedResponse } from "../observe/validation.ts";
import { hasVerbs } from "../scenarios/act.ts";
import { distinctEvents, textAt } from "../scenarios/find-deliveries.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { namesIn, type Step } from "./step.ts";
import type { Transition } from "./tables.ts";
import type { World } from "./world.ts";

/** An event that a step must send. */
export interface Owed {
  /** Broken if the event does not come. */
  readonly requirement: RequirementId;
  readonly event: EventName;
  /** The event in words. */
  readonly what: string;
  /** Whether a delivery of the event is about the step's resource. */
  readonly is: (body: unknown) => boolean;
  /** What its body must have, and the requirement that is broken otherwise. */
  readonly wants?: readonly Wanted[];
  /** Broken if the event comes twice. */
  readonly once?: RequirementId;
  /** The row of a state table that has happened once the event is there and correct. */
  readonly row?: Transition;
}

/** A part of a body that the interface determines. */
export interface Wanted {
  readonly requirement: RequirementId;
  readonly breaches: (message: Message) => readonly Breach[];
}

/** Values that a body must have, by JSON pointer; undefined: nothing. */
export function values(
  requirement: RequirementId,
  wanted: Readonly<Record<string, unknown>>,
): Wanted {
  return { requirement, breaches: (message) => differences(message, wanted) };
}

/** A text that a body must have, whatever it says. */
export function aText(requirement: RequirementId, path: string, expected: string): Wanted {
  const isThere = (message: Message) => typeof textAt(bodyOf(message), path) === "string";
  return {
    requirement,
    breaches: (message) => (isThere(message) ? [] : [breachAt(message, path, expected)]),
  };
}

/** Whether a body has a text at a place. */
export function has(path: string, text: string): (body: unknown) => boolean {
  return (body) => textAt(body, path) === text;
}

/** A broken requirement after a step. */
export interface Violation {
  readonly requirement: RequirementId;
  readonly level: "error" | "warning";
  readonly breach: Breach;
  /** Whether deliveries that came twice or overtook each other could explain it (WHK-04). */
  readonly isAboutDelivery?: true;
}

/** Creates a violation. A breach of what is derived from the interface is a warning. */
export function violation(requirement: RequirementId, breach: Breach): Violation {
  const isWarning = breach.isWarning === true || derivedRequirements.has(requirement);
  return { requirement, level: isWarning ? "warning" : "error", breach };
}

/** The deliveries of an owed event. */
export function deliveriesOf(owed: Owed, deliveries: readonly Delivery[]): Delivery[] {
  return deliveries.filter(({ name, json }) => name === owed.event && owed.is(json));
}

/**
 * Judges an owed event: it came, once if it must, and one of its deliveries is correct.
 *
 * @param all Every delivery of the script, to tell repeated deliveries from repeated events.
 * @param requiredBy What shows that it is owed.
 */
export function judgeOwed(
  owed: Owed,
  deliveries: readonly Delivery[],
  all: readonly Delivery[],
  requiredBy: Message,
): Violation[] {
  const { requirement, what, wants = [], once } = owed;
  const found = deliveriesOf(owed, deliveries);
  if (found.length === 0) {
    const actual = "it was not delivered";
    return [violation(requirement, { expected: what, actual, evidence: [requiredBy] })];
  }
  const judged = found.map((delivery) =>
    wants.flatMap((one) =>
      one.breaches(delivery).map((breach) => violation(one.requirement, breach)),
    ),
  );
  const best = judged.toSorted((one, other) => one.length - other.length)[0] ?? [];
  const [first, ...others] = distinctEvents(found, all).toReversed();
  if (once === undefined || !first || others.length === 0) return best;
  const actual = `${others.length + 1} were delivered`;
  const breach = { expected: `one ${what}`, actual, evidence: [first, ...others] as const };
  return [...best, { ...violation(once, breach), isAboutDelivery: true }];
}

/** Judges single bodies by the contract. */
export function judgeDeliveries(
  deliveries: readonly Delivery[],
  capabilities: Capabilities,
): Violation[] {
  return deliveries.flatMap((delivery) =>
    validatedDelivery(delivery, capabilities).findings.flatMap((finding) =>
      fromContract(finding, delivery),
    ),
  );
}

/** Judges a response by the contract. */
export function judgeResponse(
  operation: OperationWithResponse,
  exchange: Exchange,
  capabilities: Capabilities,
): Violation[] {
  if (bodyOf(exchange) === undefined) return [];
  return validatedResponse(operation, exchange, capabilities).findings.flatMap((finding) =>
    fromContract(finding, exchange),
  );
}

type ContractFinding = ReturnType<typeof validatedDelivery>["findings"][number];

function fromContract(finding: ContractFinding, evidence: Message): Violation[] {
  const { requirement, level, path, expected = "", actual = "" } = finding;
  if (level === "notice") return [];
  return [{ requirement, level, breach: { path, expected, actual, evidence: [evidence] } }];
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
  const violations = [...breaches].flatMap(([requirement, all]) =>
    all.map((breach): Violation => {
      return { ...violation(requirement, breach), isAboutDelivery: true };
    }),
  );
  return { violations, isOpen };
}

/** The requirement that an event breaks which announces a change that did not happen. */
const UNOWED: Readonly<Partial<Record<EventName, RequirementId>>> = {
  "cardsubscription.created": "SUB-09",
  "cardsubscription.updated": "SUB-09",
  "networkbulkfeed.statechanged": "NBF-04",
  "bankaccount.state_changed": "BAC-01",
  "banklink.completed": "BLK-02",
  "banktransaction.deleted": "BTX-04",
  "transaction.match.deleted": "MAT-05",
  "transaction.created": "WHK-05",
};

/**
 * Judges a step that asked for nothing new, or that the target refused: no event of its resources
 * may follow. Repeated deliveries are allowed (WHK-04).
 */
export function quietViolations(
  session: Session,
  before: World,
  step: Step,
  deliveries: readonly Delivery[],
): Violation[] {
  // Without `settle`, an event of an earlier step may arrive now.
  if (!hasVerbs(session, "settle")) return [];
  const { uses } = namesIn(step);
  const own = new Set(uses.flatMap((name) => Object.values(before.idsOf(name))));
  return deliveries.flatMap((delivery): Violation[] => {
    const requirement = UNOWED[delivery.name as EventName];
    const places = ["/id", "/bankAccountId", "/bankLinkId", "/bankTransactionId"];
    const isOwn = places.some((place) => own.has(textAt(delivery.json, place) ?? ""));
    const same = before.deliveries.findLast(({ name, json }) => {
      return name === delivery.name && isDeepStrictEqual(bare(json), bare(delivery.json));
    });
    const all = [...before.deliveries, ...deliveries];
    const isRepeat = same !== undefined && distinctEvents([same, delivery], all).length === 1;
    if (requirement === undefined || !isOwn || isRepeat) return [];
    const expected = `no ${delivery.name} after ${step.verb}: nothing changed`;
    const known = before.latest.get(textAt(delivery.json, "/id") ?? "");
    const isMove =
      requirement === "SUB-09" && textAt(known?.json, "/state") !== textAt(delivery.json, "/state");
    const breach = { expected, actual: "it was sent", evidence: [delivery] as const };
    const found = violation(isMove ? "SUB-05" : requirement, breach);
    return [same === undefined ? found : { ...found, isAboutDelivery: true }];
  });
}

/** MAT-07: the id of a retracted match never comes back. A delivery may be repeated. */
export function reusedIds(before: World, deliveries: readonly Delivery[]): Violation[] {
  const all = [...before.deliveries, ...deliveries];
  return deliveries.flatMap((delivery): Violation[] => {
    const id = textAt(delivery.json, "/matchId");
    const isSame = ({ name, json }: Delivery) =>
      name === "transaction.match.created" && textAt(json, "/matchId") === id;
    const first = before.deliveries.find(isSame);
    const isNew = first && isSame(delivery) && !before.matches.has(id ?? "");
    if (!isNew || distinctEvents([first, delivery], all).length < 2) return [];
    return [violation("MAT-07", breachAt(delivery, "/matchId", "a new id", first))];
  });
}

/** A body without its envelope, which may differ between repeated deliveries. */
function bare(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  const { metadata, ...body } = json as Record<string, unknown>;
  return body;
}

/**
 * Judges what no change of a subscription may change: when it was created, and that its updates go
 * forward. That is derived: the tables speak of one subscription that changes in place.
 */
export function driftIn(before: World, deliveries: readonly Delivery[], step: Step): Violation[] {
  return deliveries.flatMap((delivery): Violation[] => {
    const { name, json } = delivery;
    const known = before.latest.get(textAt(json, "/id") ?? "");
    if (name !== "cardsubscription.updated" || !known) return [];
    const requirement = step.verb === "upgrade" ? "SUB-06" : "SUB-09";
    const fields = ["createdAt", "subaccountId"];
    const changed = fields.filter((field) => memberOf(json, field) !== memberOf(known.json, field));
    return changed.map((field) => {
      const expected = `${memberOf(known.json, field)}, as before`;
      const breach = breachAt(delivery, `/${field}`, expected, known);
      return violation(requirement, { ...breach, isWarning: true });
    });
  });
}
