import type { VerbName } from "../../generated/control-types.ts";
import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { Refusal } from "../../src/sandbox/refusal.ts";
import type { Kind } from "../../src/sandbox/store/resources.ts";
import type { UnitOfWork } from "../../src/sandbox/unit-of-work.ts";
import { replaceAnnounce, replaceVerb } from "../internals.ts";
import type { MutationHooks } from "../mutation.ts";
import type { Json } from "../rewrite.ts";

// Building blocks of sequence faults: bugs that depend on earlier events. They read the sandbox's
// event log and keep no state of their own, so that a restored snapshot restores them too.

/** A bug that shows only after a sequence of steps. */
export interface SequenceFault extends Pick<MutationHooks, "inside"> {
  readonly id: string;
  /** The requirement that it breaks. */
  readonly requirement: RequirementId;
  /** A one-line description of the bug. */
  readonly description: string;
}

/** An event that was sent earlier. */
interface PastEvent {
  readonly name: EventName;
  /** The resource that orders it: its transaction, its bank transaction, or itself. */
  readonly resource: string;
  readonly body: Json;
}

/** What happened before an event. */
export interface Past {
  /** The earlier events of the same resource, the oldest first. */
  readonly own: readonly PastEvent[];
  /** All earlier events, the oldest first. */
  readonly all: readonly PastEvent[];
  readonly work: UnitOfWork;
}

/** The events that were sent so far. */
export function eventsIn({ store }: UnitOfWork): PastEvent[] {
  const rows = store.sql("SELECT name, resource, body FROM events ORDER BY seq").all();
  return rows.map(({ name, resource, body }) => {
    return {
      ...{ name: name as EventName, resource: String(resource) },
      body: JSON.parse(String(body)),
    };
  });
}

/** Drops an event. */
export const DROP = Symbol("drop");

/**
 * Changes or drops an event, depending on the events before it.
 *
 * @param change Changes the body in place and returns true, returns DROP, or returns a falsy value
 * to leave the event alone.
 * @param stored The kind of resource whose stored body changes too.
 */
export function changeLater(
  event: EventName,
  change: (body: Json, past: Past) => unknown,
  stored?: Kind,
): NonNullable<MutationHooks["inside"]> {
  return replaceAnnounce((send, { name, order, body }, work, fire) => {
    if (name !== event) return send(name, order, body);
    const all = eventsIn(work);
    const own = all.filter(({ resource }) => resource === order.resource);
    const other = structuredClone(body);
    const result = change(other, { own, all, work });
    if (!result) return send(name, order, body);
    fire();
    if (result === DROP) return;
    if (stored) {
      const resource = work.store.find(stored, body.id) as Json;
      resource.body = other;
      work.store.update(resource);
    }
    send(name, order, other);
  });
}

/**
 * Accepts a verb that the sandbox refuses, because its resource is in the target state already.
 *
 * @param again What happens instead; if it returns false, the verb is refused.
 */
export function acceptAgain(
  verb: VerbName,
  kind: Kind,
  param: string,
  again: (resource: Json, past: Omit<Past, "own">) => unknown,
): NonNullable<MutationHooks["inside"]> {
  return replaceVerb(verb, (original, work, params, fire) => {
    try {
      return (original as Json)(work, params);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      const resource = work.store.find(kind, params[param]);
      if (again(resource, { all: eventsIn(work), work }) === false) throw error;
      fire();
      return { [param]: params[param] };
    }
  });
}

/** Sends an event of a resource. */
export function announce(work: UnitOfWork, name: EventName, resource: Json, body: Json): void {
  work.announce(name, { accountId: resource.accountId, resource: resource.id }, body);
}

/** Changes the stored body of a subscription and announces it. */
export function updateSubscription(work: UnitOfWork, resource: Json, change: Json): void {
  const updatedAt = work.nowAfter(resource.body.updatedAt);
  resource.body = { ...resource.body, ...change, updatedAt };
  work.store.update(resource);
  announce(work, "cardsubscription.updated", resource, resource.body);
}

/** Whether a settled transaction changes because its network has just cleared it. */
export function isClearingOfSettled({ own }: Past): boolean {
  const last = own.at(-1);
  const isMessage = last?.name === "transactionmessage.created";
  return (
    isMessage && last.body.messageType === "FINL_ADVC" && !last.body.bankData && wasSettled(own)
  );
}

export function wasSettled(own: Past["own"]): boolean {
  return own.some(({ body }) => body.status === "SETTLED");
}

/** The bank account of a card's subscription. */
export function accountOfCard(
  cardId: string | null,
  { work }: Pick<Past, "work">,
): string | undefined {
  return subscriptionOfCard(cardId, work)?.body.bankAccountId;
}

export function subscriptionOfCard(cardId: string | null, { store }: UnitOfWork) {
  const [subscription] = cardId ? store.children("card-subscriptions", cardId) : [];
  return subscription;
}

/** Removes the bank account of a subscription. */
export function unlink(body: Json): true {
  delete body.bankAccountId;
  delete body._links.bankAccount;
  return true;
}
