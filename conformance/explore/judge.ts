import { derivedRequirements } from "../../generated/derived.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import { bodyOf, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { checkHistory } from "../observe/deliveries/history.ts";
import type { Feed } from "../observe/feed.ts";
import { collections } from "../observe/operations.ts";
import { validatedDelivery, validatedResponse } from "../observe/validation.ts";
import type { Capabilities } from "../run/capabilities.ts";
import { distinctEvents } from "../scenarios/find-deliveries.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import type { Owed } from "./owed-event.ts";

/** A broken requirement after a step. */
export interface Violation {
  readonly requirement: RequirementId;
  readonly level: "error" | "warning";
  readonly breach: Breach;
  /** Whether deliveries that overtook each other could explain it (WHK-04). */
  readonly isAboutOrder?: true;
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
  return [
    ...best,
    violation(once, { expected: `one ${what}`, actual, evidence: [first, ...others] }),
  ];
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
      return { ...violation(requirement, breach), isAboutOrder: true };
    }),
  );
  return { violations, isOpen };
}
