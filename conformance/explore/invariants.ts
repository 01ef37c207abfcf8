import { isDeepStrictEqual } from "node:util";
import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { breachAt } from "../assert.ts";
import type { Session } from "../run/session.ts";
import { hasVerb } from "../scenarios/act.ts";
import { distinctEvents, textAt } from "../scenarios/find-deliveries.ts";
import type { Delivery } from "../wire/exchange.ts";
import { type Violation, violation } from "./judge.ts";
import { namesIn, type Step } from "./step.ts";
import type { World } from "./world.ts";

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
  if (!hasVerb(session, "settle")) return [];
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
    return [
      violation(isMove ? "SUB-05" : requirement, {
        expected,
        actual: "it was sent",
        evidence: [delivery],
      }),
    ];
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
