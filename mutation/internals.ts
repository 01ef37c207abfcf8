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

function changeTransition(
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
    return () => {
      for (const restore of restores) restore();
    };
  };
}

/** Changes a transition of transactions: its target state, or the events that it sends. */
export function changeTransactionTransition(trigger: string, other: TransitionChange): Inside {
  const move = changeTransition(TRANSACTION_TRANSITIONS, trigger, other);
  return (run) => {
    // Later transitions must still apply in the changed state.
    const restores = (TRANSACTION_TRANSITIONS as Json)
      .filter(({ from }: Json) => !from.includes("new"))
      .map((row: Json) => patch(row, "from", () => ["PENDING", "SETTLED"]));
    restores.push(move(run));
    return () => {
      for (const restore of restores) restore();
    };
  };
}

/** Changes a transition of card subscriptions. */
export const changeSubscriptionTransition = (trigger: string, other: TransitionChange) =>
  changeTransition(SUBSCRIPTION_TRANSITIONS, trigger, other);

/** Changes a transition of any table. */
export { changeTransition };

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

/** Replaces how the unit of work announces events. */
export function replaceAnnounce(
  announce: (
    original: (name: EventName, order: Json, body: Json) => void,
    event: { readonly name: EventName; readonly order: Json; readonly body: Json },
    work: UnitOfWork,
    fire: () => void,
  ) => void,
): Inside {
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

/** Changes inserted resources of a kind. */
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
export function keepListed(kind: Kind): Inside {
  return ({ fire }) => {
    const restores = [
      patch(Store.prototype as Json, "update", (original: Json) => {
        return function updateListed(this: Store, resource: Resource) {
          const isGone = resource.kind === kind && !resource.listed;
          if (isGone) fire();
          original.call(this, isGone ? { ...resource, listed: true } : resource);
        };
      }),
      patch(Store.prototype as Json, "remove", (original: Json) => {
        return function removeNot(this: Store, removed: Kind, id: string) {
          if (removed === kind) fire();
          else original.call(this, removed, id);
        };
      }),
    ];
    return () => {
      for (const restore of restores.reverse()) restore();
    };
  };
}
