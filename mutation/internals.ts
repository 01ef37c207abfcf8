import type { VerbName } from "../generated/control-types.ts";
import type { EventName } from "../generated/events.ts";
import { SUBSCRIPTION_TRANSITIONS } from "../src/model/card-subscription.ts";
import { TRANSACTION_TRANSITIONS } from "../src/model/transaction.ts";
import type { Kind, Resource } from "../src/sandbox/store/resources.ts";
import { Store } from "../src/sandbox/store/store.ts";
import { UnitOfWork } from "../src/sandbox/unit-of-work.ts";
import { verbs } from "../src/sandbox/verbs/index.ts";
import type { MutationHooks } from "./mutation.ts";
import { type Json, patch } from "./rewrite.ts";

// Mutations inside the sandbox: transition tables, verbs, unit of work and store.

type Inside = NonNullable<MutationHooks["inside"]>;

/** A row of a transition table. */
interface Row {
  readonly trigger: string;
  to: string;
  sends: readonly EventName[];
}

type TransitionChange = { to?: string; sends?: readonly EventName[] };

/** Combines patches. */
export function combine(...patches: readonly Inside[]): Inside {
  return (run) => inReverse(patches.map((apply) => apply(run)));
}

/** Restores patches in reverse order. */
function inReverse(restores: readonly (() => void)[]): () => void {
  return () => {
    for (const restore of restores.toReversed()) restore();
  };
}

/** Changes a transition of any table. */
export function changeTransition(
  rows: readonly object[],
  trigger: string,
  other: TransitionChange,
): Inside {
  return ({ fire }) => {
    const restores = (rows as Row[])
      .filter((row) => row.trigger === trigger)
      .map((row) => {
        const { to, sends } = row;
        const firing = (value: unknown) => ({
          configurable: true,
          enumerable: true,
          get: () => {
            fire();
            return value;
          },
        });
        if (other.to !== undefined) Object.defineProperty(row, "to", firing(other.to));
        if (other.sends !== undefined) Object.defineProperty(row, "sends", firing(other.sends));
        const constant = (value: unknown) => ({
          ...{ configurable: true, enumerable: true, writable: true, value },
        });
        return () => {
          Object.defineProperty(row, "to", constant(to));
          Object.defineProperty(row, "sends", constant(sends));
        };
      });
    return inReverse(restores);
  };
}

/** Changes a transition of transactions: its target state, or the events that it sends. */
export function changeTransactionTransition(trigger: string, other: TransitionChange): Inside {
  // Later transitions must still apply in the changed state.
  const allowLater: Inside = () =>
    inReverse(
      (TRANSACTION_TRANSITIONS as Json)
        .filter(({ from }: Json) => !from.includes("new"))
        .map((row: Json) => patch(row, "from", () => ["PENDING", "SETTLED"])),
    );
  return combine(allowLater, changeTransition(TRANSACTION_TRANSITIONS, trigger, other));
}

/** Changes a transition of card subscriptions. */
export const changeSubscriptionTransition = (trigger: string, other: TransitionChange) =>
  changeTransition(SUBSCRIPTION_TRANSITIONS, trigger, other);

/** Replaces a verb. */
export function replaceVerb<Name extends VerbName>(
  name: Name,
  run: (original: (typeof verbs)[Name], work: UnitOfWork, params: Json, fire: () => void) => Json,
): Inside {
  return ({ fire }) =>
    patch(verbs as Json, name, (original: Json) => (work: UnitOfWork, params: Json) => {
      return run(original, work, params, fire);
    });
}

/** Replaces what a verb does if it is refused, such as when it is repeated. */
export function replaceRefusal<Name extends VerbName>(
  name: Name,
  instead: (work: UnitOfWork, params: Json) => Json,
): Inside {
  return replaceVerb(name, (original, work, params, fire) => {
    try {
      return (original as Json)(work, params);
    } catch {
      fire();
      return instead(work, params);
    }
  });
}

type Announce = (
  original: (name: EventName, order: Json, body: Json) => void,
  event: { readonly name: EventName; readonly order: Json; readonly body: Json },
  work: UnitOfWork,
  fire: () => void,
) => void;

/** Replaces how the unit of work announces events. */
export function replaceAnnounce(announce: Announce): Inside {
  return ({ fire }) =>
    patch(UnitOfWork.prototype as Json, "announce", (original: Json) => {
      return function announceOtherwise(
        this: UnitOfWork,
        name: EventName,
        order: Json,
        body: Json,
      ) {
        const send = (...event: [EventName, Json, Json]) => original.call(this, ...event);
        announce(send, { name, order, body }, this, fire);
      };
    });
}

/** Replaces how the unit of work announces events while a verb runs. */
export function replaceAnnounceDuring(verb: VerbName, announce: Announce): Inside {
  let isRunning = false;
  return combine(
    replaceVerb(verb, (original, work, params) => {
      isRunning = true;
      try {
        return (original as Json)(work, params);
      } finally {
        isRunning = false;
      }
    }),
    replaceAnnounce((send, event, work, fire) => {
      if (isRunning) announce(send, event, work, fire);
      else send(event.name, event.order, event.body);
    }),
  );
}

/** Changes resources of a kind when they are inserted. */
export function changeInserted<K extends Kind>(
  kind: K,
  change: (resource: Resource<K>, work: UnitOfWork) => boolean,
): Inside {
  return ({ fire }) =>
    patch(UnitOfWork.prototype as Json, "insert", (original: Json) => {
      return function insertOtherwise(this: UnitOfWork, resource: Resource<K>) {
        if (resource.kind === kind && change(resource, this)) fire();
        return original.call(this, resource);
      };
    });
}

/** Keeps deleted resources in their list. */
export function keepListed(kind: Kind, when: () => boolean = () => true): Inside {
  return ({ fire }) =>
    inReverse([
      patch(Store.prototype as Json, "update", (original: Json) => {
        return function updateListed(this: Store, resource: Resource) {
          const isGone = resource.kind === kind && !resource.listed && when();
          if (isGone) fire();
          original.call(this, isGone ? { ...resource, listed: true } : resource);
        };
      }),
      patch(Store.prototype as Json, "remove", (original: Json) => {
        return function removeListed(this: Store, removed: Kind, id: string) {
          if (removed === kind && when()) fire();
          else original.call(this, removed, id);
        };
      }),
    ]);
}
