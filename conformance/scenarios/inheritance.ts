import { memberOf } from "../../src/contract/pointer.ts";
import { Assertions, bodyOf, type Message } from "../assert.ts";
import { type Found, Skip } from "../check.ts";
import { projectedMessages } from "../observe/items.ts";
import type { Session } from "../run/session.ts";
import { findEvents, textAt } from "./find-deliveries.ts";
import { authorized, bankMessageOf, type PostedPurchase, type PurchaseStep } from "./purchases.ts";

const INHERITED = ["network", "approvalCode", "transactionReference"] as const;

/**
 * Compares the message that a bank posting added with the authorization (TXN-12). A standalone
 * message may be abridged, so all its views are read. If views differ, MSG-12 reports it and the
 * field is skipped. The reference has no meaning on NETWORK_C.
 */
export async function inheritance(session: Session, step: PostedPurchase): Promise<Found | Skip> {
  const message = bankMessageOf(step, step.bankTransactionId);
  const id = textAt(message && bodyOf(message), "/id");
  if (!message || id === undefined) return new Skip("the bank's posting added no message");
  const first = await authorized(session);
  const authorization = viewsOf(first, step.authorizationId);
  const added = viewsOf(step, id);
  const [from] = authorization;
  if (!from) return new Skip("the authorization was neither delivered nor returned");
  const isOnC = memberOf(from.body, "network") === session.capabilities.networks.c;
  const assertions = new Assertions();
  for (const name of INHERITED) {
    if (isOnC && name === "transactionReference") continue;
    const [value, ...otherValues] = valuesOf(authorization, name);
    const [actual, ...otherActual] = valuesOf(added, name);
    const isComparable = value !== undefined && actual !== undefined;
    if (!isComparable || otherValues.length > 0 || otherActual.length > 0) continue;
    assertions.check(value === actual, {
      path: `/${name}`,
      expected: `${JSON.stringify(value)}, as in the authorization`,
      actual: JSON.stringify(actual),
      evidence: [message, from.resource],
    });
  }
  return assertions.result("no response or delivery shows the fields to inherit");
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
