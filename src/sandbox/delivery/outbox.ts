import type { EventName } from "../../../generated/events.ts";
import type { Store } from "../store/store.ts";

/** An event that was just written to the log. */
export interface AnnouncedEvent {
  readonly seq: number;
  readonly accountId: string;
  readonly name: EventName;
  readonly resource: string;
  readonly atMs: number;
}

/**
 * Puts an event into the outbox, once for each endpoint that takes it (WHK-06), within the change
 * that made it: a crash loses both or neither.
 */
export function enqueue(store: Store, { seq, accountId, name, resource, atMs }: AnnouncedEvent) {
  const endpoints = store
    .sql(
      `SELECT id FROM endpoints WHERE (account_id IS NULL OR account_id = ?)
       AND (events = '*' OR instr(events, ?)) ORDER BY seq`,
    )
    .all(accountId, `"${name}"`);
  for (const { id } of endpoints) {
    store
      .sql(
        `INSERT INTO deliveries (id, endpoint_id, event_seq, resource, state, attempts, due_ms)
         VALUES (?, ?, ?, ?, 'waiting', 0, ?)`,
      )
      .run(`msg_${seq}_${id}`, id as string, seq, resource, atMs);
  }
}
