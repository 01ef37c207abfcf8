import type { EventName } from "../generated/events.ts";
import { BANK_ACCOUNT_TRANSITIONS, BANK_LINK_TRANSITIONS } from "../src/model/bank-account.ts";
import { SUBSCRIPTION_TRANSITIONS } from "../src/model/card-subscription.ts";
import { BULK_FEED_TRANSITIONS } from "../src/model/network-bulk-feed.ts";
import { TRANSACTION_TRANSITIONS } from "../src/model/transaction.ts";
import type { Change } from "../src/sandbox/engine.ts";
import { SqliteStore } from "../src/sandbox/store/store.ts";
import { jobHandlers } from "../src/world/job-handlers.ts";
import type { Kind, Resource } from "../src/world/resources.ts";
import { UnitOfWork } from "../src/world/unit-of-work.ts";
import { verbs } from "../src/world/verbs/index.ts";
import type { VerbName } from "../src/world/verbs/names.ts";
import { type Broken, bug } from "./bugs.ts";
import type { Mutation, MutationHooks, MutationRun } from "./mutation.ts";
import { always, type Json, patch, type Values } from "./rewrite.ts";

// Operations of mutations inside the sandbox: transition tables, verbs, unit of work and store.

type Inside = NonNullable<MutationHooks["inside"]>;

interface Patch {
  readonly inside: Inside;
}

/** A row of a transition table. */
interface Row {
  readonly trigger: string;
  from: readonly string[];
  to: string;
  sends: readonly EventName[];
}

const TABLES: readonly (readonly Row[])[] = [
  ...[TRANSACTION_TRANSITIONS, SUBSCRIPTION_TRANSITIONS, BULK_FEED_TRANSITIONS],
  ...[BANK_LINK_TRANSITIONS, BANK_ACCOUNT_TRANSITIONS],
] as Json;

/** A bug of a transition: its target state is wrong, or the events that it sends. */
export function transition(
  id: string,
  broken: Broken,
  trigger: string,
  other: { readonly to: string } | { readonly sends: readonly EventName[] },
): Mutation {
  const claims = typeof broken === "string" ? ([broken] as const) : broken;
  const says =
    "to" in other
      ? `leads to ${other.to}`
      : `sends ${other.sends.length > 0 ? `only ${other.sends.join(" and ")}` : "no event"}`;
  return bug(id, ...claims).is(`The transition ${trigger} ${says}`, moving(trigger, other));
}

function moving(trigger: string, other: object): Patch {
  const rows = TABLES.flat().filter((row) => row.trigger === trigger);
  // Later transitions of transactions must still apply in the changed state.
  const later = (TRANSACTION_TRANSITIONS as Json).includes(rows[0])
    ? (TABLES[0] as Row[]).filter(({ from }) => !from.includes("new"))
    : [];
  const inside: Inside = ({ fire }) => {
    const restores = [
      ...later.map((row) => patch(row, "from", () => ["PENDING", "SETTLED"])),
      ...rows.flatMap((row) =>
        Object.entries(other).map(([name, value]) => firing(row, name as keyof Row, value, fire)),
      ),
    ];
    return inReverse(restores);
  };
  return { inside };
}

/** Replaces a member of a row, and counts how often it is read. */
function firing(row: Row, name: keyof Row, other: unknown, fire: () => void): () => void {
  const { [name]: value } = row;
  const shown = { configurable: true, enumerable: true };
  const get = () => {
    fire();
    return other;
  };
  Object.defineProperty(row, name, { ...shown, get });
  return () => Object.defineProperty(row, name, { ...shown, writable: true, value });
}

/** Combines patches. */
function combine(...patches: readonly Inside[]): Inside {
  return (run) => inReverse(patches.map((apply) => apply(run)));
}

/** Restores patches in reverse order. */
function inReverse(restores: readonly (() => void)[]): () => void {
  return () => {
    for (const restore of restores.toReversed()) restore();
  };
}

/** Replaces a verb. */
export function replaceVerb<Name extends VerbName>(
  name: Name,
  run: (
    original: (typeof verbs)[Name]["run"],
    work: Change,
    params: Json,
    fire: () => void,
  ) => Json,
): Inside {
  return ({ fire }) =>
    patch(verbs[name] as Json, "run", (original: Json) => (work: Change, params: Json) => {
      return run(original, work, params, fire);
    });
}

type Announce = (
  original: (name: EventName, order: Json, body: Json) => void,
  event: { readonly name: EventName; readonly order: Json; readonly body: Json },
  work: Change,
  fire: () => void,
) => void;

/** Replaces how the unit of work announces events. */
export function replaceAnnounce(announce: Announce): Inside {
  return ({ fire }) =>
    patch(UnitOfWork.prototype as Json, "announce", (original: Json) => {
      return function announceOtherwise(this: Change, name: EventName, order: Json, body: Json) {
        const send = (...event: [EventName, Json, Json]) => original.call(this, ...event);
        announce(send, { name, order, body }, this, fire);
      };
    });
}

/** What the sandbox announces, with the unit of work that announces it. */
interface Announced extends MutationRun {
  readonly name: EventName;
  /** The resource that orders the event. */
  readonly resource: string;
  readonly work: Change;
}

/** Announces events otherwise: with the body that is returned, or not if it is undefined. */
export function announced(change: (body: Json, event: Announced) => Json | undefined): Patch {
  return {
    inside: (run) =>
      replaceAnnounce((send, { name, order, body }, work, fire) => {
        const before = JSON.stringify(body);
        const other = change(body, { ...run, name, resource: order.resource, work });
        if (JSON.stringify(other) !== before) fire();
        if (other !== undefined) send(name, order, other);
      })(run),
  };
}

/** Notes when a function runs. */
function running(functions: Json, name: string): Patch & { readonly isRunning: () => boolean } {
  let isRunning = false;
  return {
    inside: () =>
      patch(functions, name, (original: Json) => (...args: Json[]) => {
        isRunning = true;
        try {
          return original(...args);
        } finally {
          isRunning = false;
        }
      }),
    isRunning: () => isRunning,
  };
}

/** Bugs in what is announced while a function runs. */
function during(functions: Json, name: string) {
  const announcing = (change: (body: Json, event: Announced) => Json | undefined): Patch => {
    const { inside, isRunning } = running(functions, name);
    const patches = announced((body, one) => (isRunning() ? change(body, one) : body));
    return { inside: combine(inside, patches.inside) };
  };
  return {
    /** Announces events otherwise, as {@link announced} does. */
    announcing,
    /** Does not announce some events. */
    silent: (event: EventName, when = always): Patch =>
      announcing((body, one) => (one.name === event && when(body, one) ? undefined : body)),
  };
}

/** Bugs of a job. */
export const job = (name: keyof typeof jobHandlers) => during(jobHandlers, name);

/** Bugs of a verb. */
export function verb(name: VerbName) {
  const { announcing, silent } = during(verbs[name], "run");
  return {
    ...{ announcing, silent },
    /** Changes the subscription that it announces as updated, in the store too. */
    subscription: (change: ((body: Json) => void) | Values): Patch =>
      announcing((body, { name: event, work: { store } }) => {
        if (event !== "cardsubscription.updated") return body;
        const subscription = store.find("card-subscriptions", body.id);
        if (typeof change === "function") change(subscription.body);
        else Object.assign(subscription.body, change);
        store.update(subscription);
        return subscription.body;
      }),
    /** Replaces what it does. */
    otherwise: (
      run: (original: () => Json, work: Change, params: Json, fire: () => void) => Json,
    ): Patch => ({
      inside: replaceVerb(name, (original, work, params, fire) =>
        run(() => (original as Json)(work, params), work, params, fire),
      ),
    }),
    /** Does something where the sandbox refuses it, such as when it is repeated. */
    refused: (instead: (work: Change, params: Json) => Json): Patch => ({
      inside: replaceVerb(name, (original, work, params, fire) => {
        try {
          return (original as Json)(work, params);
        } catch {
          fire();
          return instead(work, params);
        }
      }),
    }),
  };
}

/** Changes resources of a kind when they are inserted. Returns false to leave one alone. */
export function inserted<K extends Kind>(
  kind: K,
  change: (resource: Resource<K>, work: Change) => boolean,
): Patch {
  return {
    inside: ({ fire }) =>
      patch(UnitOfWork.prototype as Json, "insert", (original: Json) => {
        return function insertOtherwise(this: Change, resource: Resource<K>) {
          if (resource.kind === kind && change(resource, this)) fire();
          return original.call(this, resource);
        };
      }),
  };
}

/** Keeps deleted resources in their list: all, or those that a verb deletes. */
export function keepListed(kind: Kind, by?: VerbName): Patch {
  const { inside, isRunning } = by
    ? running(verbs[by], "run")
    : { inside: () => () => {}, isRunning: () => true };
  const kept: Inside = ({ fire }) =>
    inReverse([
      patch(SqliteStore.prototype as Json, "update", (original: Json) => {
        return function updateListed(this: SqliteStore, resource: Resource) {
          const isGone = resource.kind === kind && !resource.listed && isRunning();
          if (isGone) fire();
          original.call(this, isGone ? { ...resource, listed: true } : resource);
        };
      }),
      patch(SqliteStore.prototype as Json, "remove", (original: Json) => {
        return function removeListed(this: SqliteStore, removed: Kind, id: string) {
          if (removed === kind && isRunning()) fire();
          else original.call(this, removed, id);
        };
      }),
    ]);
  return { inside: combine(inside, kept) };
}
