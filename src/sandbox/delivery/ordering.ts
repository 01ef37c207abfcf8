import type { SqliteStore } from "../store/store.ts";

/**
 * The ordering key of deliveries: those of one resource at one endpoint are sent in order. At an
 * endpoint without order each delivery has its own key. Only the first one of a key is due. Code
 * that adds or removes a delivery updates `is_first` in the same change.
 */
export interface OrderingKey {
  readonly endpointId: string;
  readonly lane: string;
}

/** The position after the last waiting delivery, and whether it is the first: 1 or 0. */
export function nextPosition(
  store: SqliteStore,
  { endpointId, lane }: OrderingKey,
): { place: number; isFirst: number } {
  const last = store.row<{ place: number | null }>(
    `SELECT max(place) AS place FROM deliveries
     WHERE state = 'waiting' AND endpoint_id = ? AND lane = ?`,
    ...[endpointId, lane],
  );
  const place = last?.place ?? 0;
  return { place: place + 1, isFirst: Number(place === 0) };
}

/** Makes the next delivery the first one, after the first has ended. */
export function releaseNext(store: SqliteStore, { endpointId, lane }: OrderingKey): void {
  store
    .sql(
      `UPDATE deliveries SET is_first = 1 WHERE seq =
         (SELECT seq FROM deliveries WHERE state = 'waiting' AND endpoint_id = ? AND lane = ?
          ORDER BY place LIMIT 1)`,
    )
    .run(endpointId, lane);
}
