import type { Situation } from "../../generated/requirements.ts";
import type { Networks } from "../../src/contract/networks.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { type Assertions, bodyOf, type Message } from "../assert.ts";
import { projectedMessages } from "../observe/feed.ts";
import { findEvents, textAt } from "./find-deliveries.ts";
import { bankMessageOf, type PostedPurchase, type PurchaseStep } from "./purchases.ts";

const INHERITED = {
  "TXN-12.inherits-network": "network",
  "TXN-12.inherits-approval-code": "approvalCode",
  "TXN-12.inherits-reference": "transactionReference",
} as const;

/** A purchase after its authorization, and after a bank posting. */
interface Settled {
  readonly first: PurchaseStep;
  readonly posting: PostedPurchase;
}

/**
 * Compares the message that a bank posting added with the authorization (TXN-12). A standalone
 * message may be abridged, so all its views are read. If views differ, MSG-12 reports it and the
 * field is skipped. The reference has no meaning on NETWORK_C.
 */
export function checkInheritance(
  assertions: Assertions,
  { first, posting }: Settled,
  networks: Networks,
  where: readonly Situation[] = [],
): void {
  const message = bankMessageOf(posting, posting.bankTransactionId);
  const id = textAt(message && bodyOf(message), "/id");
  if (!message || id === undefined) return;
  const authorization = viewsOf(first, posting.authorizationId);
  const added = viewsOf(posting, id);
  const [from] = authorization;
  if (!from) return;
  const isOnC = memberOf(from.body, "network") === networks.c;
  for (const [claim, name] of Object.entries(INHERITED)) {
    if (isOnC && name === "transactionReference") continue;
    const [value, ...otherValues] = valuesOf(authorization, name);
    const [actual, ...otherActual] = valuesOf(added, name);
    // MSG-06 reports an authorization on NETWORK_C with a code.
    if (isOnC && name === "approvalCode" && value !== null) continue;
    const isComparable = value !== undefined && actual !== undefined;
    if (!isComparable || otherValues.length > 0 || otherActual.length > 0) continue;
    assertions.of(claim as keyof typeof INHERITED, ...where).check(value === actual, {
      path: `/${name}`,
      expected: `${JSON.stringify(value)}, as in the authorization`,
      actual: JSON.stringify(actual),
      evidence: [message, from.resource],
    });
  }
}

interface View {
  readonly resource: Message;
  readonly body: unknown;
}

/** Every view of a message: its response, its event, and its projections. */
function viewsOf(
  { resource, messages, deliveries, transactionId }: PurchaseStep,
  id: string,
): View[] {
  const hasId = (body: unknown) => memberOf(body, "id") === id;
  const whole = [
    ...messages.filter((message) => hasId(bodyOf(message))),
    ...findEvents(deliveries, "transactionmessage.created", { "/id": id }),
  ];
  const transactions = [
    resource,
    ...findEvents(deliveries, "transaction.updated", { "/id": transactionId }),
  ];
  return [
    ...whole.map((one) => ({ resource: one, body: bodyOf(one) })),
    ...transactions.flatMap((one) =>
      (projectedMessages(bodyOf(one)) ?? [])
        .filter(hasId)
        // A projection is complete: a missing code means null.
        .map((body) => ({ resource: one, body: { approvalCode: null, ...Object(body) } })),
    ),
  ];
}

/** The distinct values of a field across views. */
function valuesOf(views: readonly View[], name: string): unknown[] {
  const values = views.map(({ body }) => memberOf(body, name)).filter((one) => one !== undefined);
  return [...new Set(values)];
}
