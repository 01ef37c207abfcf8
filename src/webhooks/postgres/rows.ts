import { timesOf } from "../delivery-filter.ts";
import type {
  DeliveryFilter,
  Lease,
  LeasedDelivery,
  ListedDelivery,
  Settlement,
  StoredDelivery,
} from "../inbox.ts";
import type { Row } from "./database.ts";

/**
 * The columns of a stored delivery except its lane, as texts. The names are single words, because
 * drivers can be set up to convert others.
 */
export const COLUMNS = `id::text, key, event, headers::text, delivery_id AS sender, body,
  to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS received,
  failures::text`;

function storedOf(row: Row): StoredDelivery {
  const lane = row["lane"] as string;
  return {
    id: Number(row["id"]),
    key: row["key"] as string | null,
    lane: lane.startsWith("=") ? lane.slice(1) : null,
    event: row["event"] as string,
    body: row["body"] as string,
    headers: JSON.parse(row["headers"] as string),
    deliveryId: row["sender"] as string | null,
    receivedAt: row["received"] as string,
    failures: Number(row["failures"]),
  };
}

/** Converts a row of `delivery`. */
export function listedOf(row: Row): ListedDelivery {
  const state = row["quarantined"] === "true" ? "quarantined" : "waiting";
  return { ...storedOf(row), state, reason: row["reason"] as string | null };
}

/** Groups the rows of `take`, which are ordered by lane. */
export function leasesOf(rows: readonly Row[]): Lease[] {
  const leases: (Lease & { readonly deliveries: LeasedDelivery[] })[] = [];
  for (const row of rows) {
    const lane = row["lane"] as string;
    const token = row["token"] as string;
    const interruptions = Number(row["interruptions"]);
    let lease = leases.at(-1);
    if (lease?.lane !== lane) {
      lease = { lane, token, interruptions, deliveries: [] };
      leases.push(lease);
    }
    lease.deliveries.push({ ...storedOf(row), missing: Number(row["missing"]) });
  }
  return leases;
}

/** Converts settlements to the parameters of `settle`. */
export function settlementOf(settlements: readonly Settlement[]): {
  readonly leases: readonly object[];
  readonly handled: readonly number[];
  readonly failed: readonly object[];
} {
  return {
    leases: settlements.map(({ lease: { lane, token }, handled, quarantined, retry }) => ({
      lane,
      token,
      changed: handled.length > 0 || quarantined.length > 0 || retry !== undefined,
      retry: retry?.id,
      delay_ms: retry?.delayMs,
    })),
    handled: settlements.flatMap(({ handled }) => handled),
    failed: settlements.flatMap(({ quarantined, retry }) => [
      ...quarantined.map(({ id, reason }) => ({ id, reason, quarantined: true, failures: 1 })),
      ...(retry
        ? [
            {
              id: retry.id,
              reason: retry.reason,
              quarantined: false,
              failures: retry.isFailure ? 1 : 0,
            },
          ]
        : []),
    ]),
  };
}

/** Converts a filter to the end of a SELECT of `delivery` and its values. */
export function conditionOf(filter: DeliveryFilter): {
  readonly condition: string;
  readonly values: readonly string[];
} {
  const { state, ids, event, lane, after, limit } = filter;
  const { since, before } = timesOf(filter);
  const values: string[] = [];
  const value = (one: string) => `$${values.push(one)}::text`;
  const conditions = ["true"];
  if (state !== undefined) conditions.push(`quarantined = ${state === "quarantined"}`);
  if (ids) conditions.push(`id = ANY (${value(`{${ids.join(",")}}`)}::bigint[])`);
  if (event !== undefined) conditions.push(`event = ${value(event)}`);
  if (lane !== undefined) conditions.push(`lane = ${value(`=${lane}`)}`);
  if (since !== undefined) conditions.push(`received_at >= ${value(since)}::timestamptz`);
  if (before !== undefined) conditions.push(`received_at < ${value(before)}::timestamptz`);
  if (after !== undefined) conditions.push(`id > ${value(String(after))}::bigint`);
  const end = limit === undefined ? "" : ` LIMIT ${value(String(limit))}::bigint`;
  return { condition: `WHERE ${conditions.join(" AND ")} ORDER BY id${end}`, values };
}
