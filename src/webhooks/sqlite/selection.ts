import type { DatabaseSync } from "../../sqlite.ts";
import { timesOf } from "../delivery-filter.ts";
import type { DeliveryFilter, InboxStatus, ListedDelivery } from "../inbox.ts";
import { deliveryOf, type Place } from "./tables.ts";

const LISTED = `d.id, d.key, substr(l.name, 2) AS lane, d.event, d.body, d.headers,
  d.delivery_id AS deliveryId, d.received_at AS receivedAt, d.failures, d.reason,
  iif(d.is_quarantined, 'quarantined', 'waiting') AS state`;
const PLACE = "d.id, d.lane_id AS laneId, d.is_quarantined AS isQuarantined";

/** The conditions of a filter in SQL, by their names. */
const CONDITIONS: Readonly<Record<string, string>> = {
  state: "d.is_quarantined = (:state = 'quarantined')",
  ids: "d.id IN (SELECT value FROM json_each(:ids))",
  event: "d.event = :event",
  lane: "l.name = '=' || :lane",
  since: "d.received_at >= :since",
  before: "d.received_at < :before",
  after: "d.id > :after",
};

/**
 * Lists the deliveries that a filter selects.
 *
 * @throws {TxfeedError} `usage` if a time is not one.
 */
export function listDeliveries(
  database: DatabaseSync,
  filter: DeliveryFilter,
): readonly ListedDelivery[] {
  return select(database, LISTED, filter).map(
    (row) => deliveryOf(row) as unknown as ListedDelivery,
  );
}

/** Like `listDeliveries`, but returns only their number. */
export function countDeliveries(database: DatabaseSync, filter: DeliveryFilter): number {
  const counted = (rows: string) => `SELECT count(*) AS count FROM (${rows})`;
  return Number(select(database, "1", filter, counted)[0]?.["count"]);
}

/** Like `listDeliveries`, but returns only where the deliveries are. */
export function placesOf(database: DatabaseSync, filter: DeliveryFilter): readonly Place[] {
  return select(database, PLACE, filter) as unknown as readonly Place[];
}

function select(
  database: DatabaseSync,
  columns: string,
  filter: DeliveryFilter,
  statementOf = (rows: string) => rows,
) {
  const { limit, ids, ...others } = { ...filter, ...timesOf(filter) };
  const texts = { ...others, ids: ids && JSON.stringify(ids) };
  const values = Object.entries(texts).filter(([, value]) => value !== undefined);
  const conditions = ["TRUE", ...values.map(([name]) => CONDITIONS[name])].join(" AND ");
  const rows = `SELECT ${columns}
    FROM webhook_delivery d JOIN webhook_lane l ON l.id = d.lane_id
    WHERE ${conditions} ORDER BY d.id LIMIT :limit`;
  // A negative limit is none.
  return database.prepare(statementOf(rows)).all({
    ...(Object.fromEntries(values) as Record<string, string | number>),
    limit: limit ?? -1,
  });
}

/** Counts deliveries and lanes. */
export function statusOf(database: DatabaseSync, now: number): InboxStatus {
  const waits = `EXISTS
    (SELECT 1 FROM webhook_delivery WHERE lane_id = webhook_lane.id AND is_quarantined = 0)`;
  const lanes = (condition: string) =>
    `(SELECT count(*) FROM webhook_lane WHERE ${condition} AND ${waits})`;
  const row = database
    .prepare(
      `SELECT count(*) FILTER (WHERE is_quarantined = 0) AS waiting,
         count(*) FILTER (WHERE is_quarantined = 1) AS quarantined,
         ${lanes("due_at > :now AND token IS NOT NULL")} AS running,
         ${lanes("due_at > :now AND token IS NULL")} AS delayed,
         ${lanes("due_at <= :now AND token IS NOT NULL")} AS stalled,
         (SELECT :now - min(due_at) FROM webhook_lane WHERE due_at <= :now AND ${waits}) AS lagMs
       FROM webhook_delivery`,
    )
    .get({ now });
  const first = database
    .prepare(
      "SELECT received_at FROM webhook_delivery WHERE is_quarantined = 0 ORDER BY id LIMIT 1",
    )
    .get()?.["received_at"];
  const oldestAgeMs = first === undefined ? null : Date.now() - Date.parse(String(first));
  return { ...row, oldestAgeMs: oldestAgeMs && Math.max(0, oldestAgeMs) } as unknown as InboxStatus;
}
