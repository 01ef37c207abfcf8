import type { SQLOutputValue } from "node:sqlite";
import * as z from "zod";
import { EventName, Id, Limit, Timestamp, WholeNumber } from "../world/fields.ts";
import type { Of } from "../world/schema.ts";
import type { SqliteStore } from "./store/store.ts";

export const EventHead = z
  .object({
    seq: z.int().describe("The position in the log, from 1."),
    at: Timestamp.describe("The time by the sandbox's clock."),
    accountId: z.string(),
    name: EventName,
    resource: z
      .string()
      .describe("The ordering key: deliveries of the same resource are sent in order."),
  })
  .describe("An event of the log, without its body.");
type EventHead = Of<typeof EventHead>;

export const LoggedEvent = z
  .object({ ...EventHead.shape, body: z.unknown().describe("The body that is sent.") })
  .describe("An event of the log.");
export type LoggedEvent = Of<typeof LoggedEvent>;

export const EventsQuery = z.strictObject({
  after: WholeNumber.describe("Only events after this position.").optional(),
  name: EventName.optional(),
  accountId: Id.optional(),
  limit: Limit.describe("The maximum number of items, the oldest ones. Default: 1,000.").optional(),
});
export type EventsQuery = Of<typeof EventsQuery>;

/** The events of the log, the oldest first. */
export function eventsOf(store: SqliteStore, query: EventsQuery): LoggedEvent[] {
  const { after = 0, name = "", accountId = "", limit = 1000 } = query;
  return store
    .sql(
      `SELECT seq, at_ms, account_id, name, resource, body FROM events
       WHERE seq > ?1 AND (?2 = '' OR name = ?2) AND (?3 = '' OR account_id = ?3)
       ORDER BY seq LIMIT ?4`,
    )
    .all(after, name, accountId, limit)
    .map((row) => ({ ...eventOf(row), body: JSON.parse(row["body"] as string) }));
}

/** The event of a row of the log, without its body. */
export function eventOf(row: Record<string, SQLOutputValue>): EventHead {
  return {
    seq: row["seq"] as number,
    at: new Date(row["at_ms"] as number).toISOString(),
    accountId: row["account_id"] as string,
    name: row["name"] as EventName,
    resource: row["resource"] as string,
  };
}
