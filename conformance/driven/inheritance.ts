import { memberOf } from "../../src/contract/pointer.ts";
import { type Found, Skip } from "../check.ts";
import type { Session } from "../session.ts";
import { Assertions, bodyOf, type Message } from "./assertions.ts";
import { findEvents, projectedMessages, textAt } from "./find-deliveries.ts";
import { authorized, bankMessageOf, type PostedPurchase, type PurchaseStep } from "./purchases.ts";

const INHERITED = ["network", "approvalCode", "transactionReference"] as const;

/**
 * TXN-12: what the message that a bank posting added has of the authorization. A standalone message
 * is shown abridged, so each view of it may tell; where views differ, MSG-12 tells, and whether it
 * was inherited is not decided. The reference means nothing on NETWORK_C.
 */
export async function inheritance(session: Session, step: PostedPurchase): Promise<Found | Skip> {
  const message = bankMessageOf(step, step.bankTransactionId);
  const id = textAt(message && bodyOf(message), "/id");
  if (!message || id === undefined) return new Skip("the bank's posting added no message");
  const first = await authorized(session);
  const authorization = viewsOf(first, step.authorizationId);
  const added = viewsOf(step, id);
  const [from] = authorization;
  if (!from) return new Skip("no view of the authorization was given");
  const isOnC = memberOf(from.body, "network") === session.capabilities.networks.c;
  const assertions = new Assertions();
  for (const name of INHERITED) {
    if (isOnC && name === "transactionReference") continue;
    const [value, ...otherValues] = valuesOf(authorization, name);
    const [actual, ...otherActual] = valuesOf(added, name);
    const isTold = value !== undefined && actual !== undefined;
    if (!isTold || otherValues.length > 0 || otherActual.length > 0) continue;
    assertions.holds(value === actual, {
      path: `/${name}`,
      expected: `${JSON.stringify(value)}, as the authorization has it`,
      actual: JSON.stringify(actual),
      shownBy: [message, from.shown],
    });
  }
  return assertions.result("what is to be inherited is shown nowhere");
}

interface View {
  readonly shown: Message;
  readonly body: unknown;
}

/** All that shows a message: its own answer, its announcement, and projections of it. */
function viewsOf({ shown, messages, deliveries, transactionId }: PurchaseStep, id: string): View[] {
  const hasId = (body: unknown) => memberOf(body, "id") === id;
  const whole = [
    ...messages.filter((message) => hasId(bodyOf(message))),
    ...findEvents(deliveries, "transactionmessage.created", { "/id": id }),
  ];
  const transactions = [
    shown,
    ...findEvents(deliveries, "transaction.updated", { "/id": transactionId }),
  ];
  return [
    ...whole.map((one) => ({ shown: one, body: bodyOf(one) })),
    ...transactions.flatMap((one) =>
      projectedMessages(bodyOf(one))
        .filter(hasId)
        // A projection is whole: a code that is not there is none.
        .map((body) => ({ shown: one, body: { approvalCode: null, ...Object(body) } })),
    ),
  ];
}

/** The values that views tell, each once. */
function valuesOf(views: readonly View[], name: string): unknown[] {
  const values = views.map(({ body }) => memberOf(body, name)).filter((one) => one !== undefined);
  return [...new Set(values)];
}
