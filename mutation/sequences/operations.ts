import type { EventName } from "../../generated/events.ts";
import type { Change } from "../../src/sandbox/engine.ts";
import { Refusal } from "../../src/world/refusal.ts";
import type { Kind } from "../../src/world/resources.ts";
import type { VerbName } from "../../src/world/verbs/names.ts";
import { replaceAnnounce, replaceVerb } from "../internals.ts";
import type { Operation } from "../mutation.ts";
import type { Json } from "../rewrite.ts";

// Operations of bugs that depend on earlier events, and their conditions. They read the sandbox's
// store and keep no state of their own, so that a restored snapshot restores them too.

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
  readonly accountId: string;
  readonly work: Change;
}

/** Whether a bug applies to an event. */
export type Condition = (body: Json, past: Past) => unknown;

/** The resources whose stored body changes together with an event's. */
const STORED: { readonly [event in EventName]?: Kind } = {
  "cardsubscription.created": "card-subscriptions",
  "cardsubscription.updated": "card-subscriptions",
  "transaction.updated": "transactions",
};

/** Changes the body of an event in place, and that of its resource, if all conditions apply. */
export function change(
  event: EventName,
  to: (body: Json, past: Past) => void,
  ...when: readonly Condition[]
): Operation {
  return onEvent(event, when, (body, past) => {
    to(body, past);
    const kind = STORED[event];
    if (kind) {
      const resource = past.work.store.find(kind, body.id) as Json;
      past.work.store.update({ ...resource, body });
    }
    return body;
  });
}

/** Does not send an event if all conditions apply. */
export function drop(event: EventName, ...when: readonly Condition[]): Operation {
  return onEvent(event, when, () => undefined);
}

function onEvent(
  event: EventName,
  when: readonly Condition[],
  instead: (body: Json, past: Past) => Json | undefined,
): Operation {
  const inside = replaceAnnounce((send, { name, order, body }, work, fire) => {
    if (name !== event) return send(name, order, body);
    const all = eventsIn(work);
    const own = all.filter(({ resource }) => resource === order.resource);
    const past = { own, all, work, accountId: order.accountId };
    if (!when.every((applies) => applies(body, past))) return send(name, order, body);
    const other = instead(structuredClone(body), past);
    fire();
    if (other) send(name, order, other);
  });
  return { inside };
}

function eventsIn({ store }: Change): PastEvent[] {
  const rows = store.sql("SELECT name, resource, body FROM events ORDER BY seq").all();
  return rows.map(({ name, resource, body }) => {
    const text = String(body);
    return { name: name as EventName, resource: String(resource), body: JSON.parse(text) };
  });
}

/** The resource of each verb that can be repeated, and the parameter that names it. */
const REPEATABLE = {
  "sca-pass": ["card-subscriptions", "subscriptionId"],
  upgrade: ["card-subscriptions", "subscriptionId"],
  deactivate: ["card-subscriptions", "subscriptionId"],
  "link-card": ["cards", "cardId"],
  "link-complete": ["bank-links", "bankLinkId"],
  disconnect: ["bank-accounts", "bankAccountId"],
  recover: ["bank-accounts", "bankAccountId"],
  "feed-accept": ["network-bulk-feeds", "feedId"],
  "feed-reject": ["network-bulk-feeds", "feedId"],
  "provider-remove": ["bank-transactions", "bankTransactionId"],
} as const satisfies { readonly [verb in VerbName]?: readonly [Kind, string] };

/** What a repeated verb does. If it returns false, the sandbox refuses the verb as usual. */
type Effect = (resource: Json, work: Change) => unknown;

/** Gives an effect to a verb whose resource is in the target state already. */
export function repeat(verb: keyof typeof REPEATABLE, effect: Effect): Operation {
  const [kind, param] = REPEATABLE[verb];
  const inside = replaceVerb(verb, (original, work, params, fire) => {
    const resource = work.store.get(kind, params[param]) as Json;
    // A repeated completion is accepted, and changes nothing.
    const wasCompleted = resource?.internal.state === "completed";
    let result: Json = { [param]: params[param] };
    let refusal: unknown;
    try {
      result = (original as Json)(work, params);
    } catch (error) {
      refusal = error;
    }
    const isRepeated = refusal instanceof Refusal ? refusal.status === 409 : wasCompleted;
    if (isRepeated && effect(resource, work) !== false) fire();
    else if (refusal !== undefined) throw refusal;
    return result;
  });
  return { inside };
}

/** Sends the latest event of the resource again, with other values. */
export function resend(
  event: EventName,
  values: (resource: Json, work: Change, latest: Json) => object = () => ({}),
): Effect {
  return (resource, work) => {
    const { body } =
      eventsIn(work).findLast((one) => one.name === event && one.resource === resource.id) ?? {};
    const { accountId, id } = resource;
    const other = { ...body, ...values(resource, work, body) } as Json;
    work.announce(event, { accountId, resource: id }, other);
  };
}

/** Updates the subscription of a card and announces it, if it is in a state. Default: in any. */
export function update(values: object, state?: string): Effect {
  return ({ kind, id }, work) => {
    const [one] = (
      kind === "cards"
        ? work.store.children("card-subscriptions", id)
        : [work.store.find("card-subscriptions", id)]
    ) as Json[];
    if (!one || (state !== undefined && one.body.state !== state)) return false;
    const body = { ...one.body, ...values, updatedAt: work.nowAfter(one.body.updatedAt) };
    work.store.update({ ...one, body });
    const order = { accountId: one.accountId, resource: one.id };
    work.announce("cardsubscription.updated", order, body);
    return true;
  };
}
