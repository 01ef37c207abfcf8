import { randomUUID } from "node:crypto";
import type { EmittedEvent } from "../../world/unit-of-work.ts";
import type { DeliveryFault, FaultInjector } from "../fault-injector.ts";
import type { SqliteStore } from "../store/store.ts";
import { nextPosition } from "./ordering.ts";

/** How long a reordered delivery waits for another one to swap places with. */
const HOLD_MS = 2_000;

/** The default delay of a fault. */
const DELAY_MS = 30_000;

interface Subscriber {
  readonly endpointId: string;
  /** 1 or 0. */
  readonly ordered: number;
}

/** A delivery that is held until another one of its resource arrives. */
interface HeldDelivery {
  readonly seq: number;
  readonly lane: string;
  readonly place: number;
  /** 1 or 0. */
  readonly isFirst: number;
}

/**
 * Adds a delivery of an event for each endpoint that subscribes to it (WHK-06), in the same
 * change as the event, so that a crash loses both or neither.
 */
export function enqueue(store: SqliteStore, event: EmittedEvent, faults?: FaultInjector): void {
  for (const subscriber of subscribersOf(store, event)) {
    const held = heldDeliveryFor(store, subscriber, event);
    // A delivery that another one swaps places with is not reordered itself.
    const met = faults?.takeDelivery(event.name, held ? ["reorder"] : []) ?? [];
    put(store, event, subscriber, { met, held });
  }
}

function subscribersOf(store: SqliteStore, { accountId, name }: EmittedEvent): Subscriber[] {
  return store.rows(
    `SELECT id AS endpointId, ordered FROM endpoints
     WHERE (account_id IS NULL OR account_id = ?) AND (events = '*' OR instr(events, ?))
     ORDER BY seq`,
    ...[accountId, `"${name}"`],
  );
}

/** The held delivery of a resource. One that is due may be running, so it stays in its place. */
function heldDeliveryFor(
  store: SqliteStore,
  { endpointId }: Subscriber,
  event: EmittedEvent,
): HeldDelivery | undefined {
  return store.row(
    `SELECT seq, lane, place, is_first AS isFirst FROM deliveries
     WHERE state = 'waiting' AND is_held = 1 AND endpoint_id = ? AND resource = ? AND due_ms > ?`,
    ...[endpointId, event.resource, event.atMs],
  );
}

function put(
  store: SqliteStore,
  { seq, resource, atMs }: EmittedEvent,
  { endpointId, ordered }: Subscriber,
  {
    met,
    held,
  }: { readonly met: readonly DeliveryFault[]; readonly held: HeldDelivery | undefined },
): void {
  const meets = (kind: DeliveryFault["kind"]) => met.filter((fault) => fault.kind === kind);
  const isDropped = meets("drop").length > 0;
  const isHeld = meets("reorder").length > 0;
  const delaysMs = meets("delay").map(({ delayMs = DELAY_MS }) => delayMs);
  // Unlike other ids this one is random: a receiver that remembers ids would otherwise take the
  // deliveries after a reset, or of the next sandbox, for duplicates.
  const id = `msg_${randomUUID()}`;
  const lane = held?.lane ?? (ordered === 1 ? resource : id);
  const end = nextPosition(store, { endpointId, lane });
  const swapped = isDropped ? undefined : held;
  if (swapped) changePlaces(store, swapped, end.place);
  const { place, isFirst } = swapped ?? end;
  const dueMs = delaysMs.reduce((sum, ms) => sum + ms, atMs + (isHeld ? HOLD_MS : 0));
  store
    .sql(
      `INSERT INTO deliveries (id, endpoint_id, event_seq, resource, lane, place, state, is_first,
       is_held, repeats, attempts, due_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
    )
    .run(
      ...[id, endpointId, seq, resource, lane, place, isDropped ? "dropped" : "waiting"],
      ...[isFirst, Number(isHeld), meets("duplicate").length, dueMs],
    );
}

/** Moves the held delivery to the end, after the one that replaces it. */
function changePlaces(store: SqliteStore, held: HeldDelivery, place: number): void {
  store
    .sql(
      `UPDATE deliveries SET place = ?, is_first = 0, is_held = 0, due_ms = due_ms - ?
       WHERE seq = ?`,
    )
    .run(place, HOLD_MS, held.seq);
}
