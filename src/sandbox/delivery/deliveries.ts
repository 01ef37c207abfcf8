import * as z from "zod";
import { Count, EventName, Limit, Timestamp } from "../../world/fields.ts";
import { conflict, notFound } from "../../world/refusal.ts";
import type { Of } from "../../world/schema.ts";
import type { Change } from "../engine.ts";
import { EventHead, eventOf } from "../event-log.ts";
import type { SqliteStore } from "../store/store.ts";
import { nextPosition } from "./ordering.ts";

export const Attempt = z
  .object({
    at: Timestamp.describe("The time of the attempt, by the sandbox's clock."),
    status: z.int().nullable().describe("The status of the response; null if there was none."),
    error: z.string().nullable().describe("The reason for no response, or null."),
    durationMs: z.number().describe("The duration in real milliseconds."),
  })
  .describe("An attempt to deliver an event.");
export type Attempt = Of<typeof Attempt>;

export const DeliveryState = z
  .enum(["waiting", "delivered", "failed", "dropped"])
  .describe("The state of a delivery.");
export type DeliveryState = Of<typeof DeliveryState>;

export const Delivery = z
  .object({
    id: z.string().describe("The header `webhook-id`, the same for every attempt."),
    endpointId: z.string(),
    event: EventHead,
    state: DeliveryState,
    dueAt: Timestamp.nullable().describe("When the next attempt is due; null if there is none."),
    attempts: z.array(Attempt),
  })
  .describe("The delivery of an event to an endpoint.");
export type Delivery = Of<typeof Delivery>;

export const DeliveriesQuery = z.strictObject({
  state: DeliveryState.optional(),
  event: EventName.optional(),
  seq: Count.describe("Only deliveries of the event at this position of the log.").optional(),
  limit: Limit.describe("The maximum number of items, the latest ones. Default: 100.").optional(),
});
export type DeliveriesQuery = Of<typeof DeliveriesQuery>;

/** Lists the latest deliveries with their attempts, the latest first. */
export function deliveriesOf(store: SqliteStore, query: DeliveriesQuery): Delivery[] {
  const { state = "", event = "", seq = 0, limit = 100 } = query;
  return store
    .sql(
      `SELECT d.seq AS delivery_seq, d.id, d.endpoint_id, d.state, d.is_first, d.due_ms, e.seq,
       e.at_ms, e.account_id, e.name, e.resource
       FROM deliveries d JOIN events e ON e.seq = d.event_seq
       WHERE (?1 = '' OR d.state = ?1) AND (?2 = '' OR e.name = ?2)
       AND (?3 = 0 OR d.event_seq = ?3) ORDER BY d.seq DESC LIMIT ?4`,
    )
    .all(state, event, seq, limit)
    .map((row) => ({
      id: row["id"] as string,
      endpointId: row["endpoint_id"] as string,
      event: eventOf(row),
      state: row["state"] as DeliveryState,
      // A delivery that waits for another one is not due.
      dueAt:
        row["state"] === "waiting" && row["is_first"] === 1
          ? timestamp(row["due_ms"] as number)
          : null,
      attempts: attemptsOf(store, row["delivery_seq"] as number),
    }));
}

function attemptsOf(store: SqliteStore, deliverySeq: number): Attempt[] {
  return store
    .rows<Omit<Attempt, "at"> & { atMs: number }>(
      `SELECT at_ms AS atMs, status, error, duration_ms AS durationMs FROM attempts
       WHERE delivery_seq = ? ORDER BY seq`,
      deliverySeq,
    )
    .map(({ atMs, ...attempt }) => ({ at: timestamp(atMs), ...attempt }));
}

const timestamp = (ms: number) => new Date(ms).toISOString();

/** A delivery to send again. */
interface EndedRound {
  readonly seq: number;
  readonly state: DeliveryState;
  readonly endpointId: string;
  readonly lane: string;
}

/**
 * Sends a delivery again, or all ended ones, including dropped ones. It is a new round of attempts
 * with the same webhook-id, after other waiting deliveries of the resource. The round of a named
 * delivery that still waits starts again, now.
 *
 * @returns the number of deliveries that are sent
 * @throws {Refusal} 404 for an unknown id, 409 if the endpoint was removed
 */
export function replay(work: Change, id: string | "all"): number {
  const { store } = work;
  if (id === "all") {
    const ended = store.rows<EndedRound>(
      `SELECT d.seq, n.id AS endpointId, d.lane, d.state FROM deliveries d
       JOIN endpoints n ON n.id = d.endpoint_id WHERE d.state <> 'waiting' ORDER BY d.seq`,
    );
    for (const row of ended) beginRound(work, row);
    return ended.length;
  }
  const row = store.row<EndedRound & { readonly isRemoved: number }>(
    `SELECT d.seq, d.endpoint_id AS endpointId, d.lane, d.state, n.id IS NULL AS isRemoved
     FROM deliveries d
     LEFT JOIN endpoints n ON n.id = d.endpoint_id WHERE d.id = ?`,
    id,
  );
  if (!row) throw notFound("delivery", id);
  if (row.isRemoved === 1) throw conflict(`the endpoint of delivery ${id} was removed`);
  beginRound(work, row);
  return 1;
}

function beginRound(work: Change, { seq, state, endpointId, lane }: EndedRound): void {
  const { store } = work;
  if (state !== "waiting") {
    const { place, isFirst } = nextPosition(store, { endpointId, lane });
    store
      .sql("UPDATE deliveries SET state = 'waiting', place = ?, is_first = ? WHERE seq = ?")
      .run(place, isFirst, seq);
  }
  store
    .sql("UPDATE deliveries SET attempts = 0, repeats = 0, is_held = 0, due_ms = ? WHERE seq = ?")
    .run(work.nowMs(), seq);
}
