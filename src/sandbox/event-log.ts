import type { SQLOutputValue } from "node:sqlite";
import type { EventName } from "../../generated/events.ts";
import type { EventsQuery, LoggedEvent } from "./control/control.ts";
import type { SqliteStore } from "./store/store.ts";

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
export function eventOf(row: Record<string, SQLOutputValue>): Omit<LoggedEvent, "body"> {
  return {
    seq: row["seq"] as number,
    at: new Date(row["at_ms"] as number).toISOString(),
    accountId: row["account_id"] as string,
    name: row["name"] as EventName,
    resource: row["resource"] as string,
  };
}
