import type { SqliteStore } from "../store/store.ts";

/**
 * The ordering key of deliveries: those of one resource at one endpoint are sent in order. At an
 * endpoint without order each delivery has its own key. Only the first one of a key is due. Code
 * that adds or removes a delivery updates `is_first` in the same change.
 */
interface OrderingKey {
  readonly endpointId: string;
  readonly lane: string;
}

/** The position after the last waiting delivery, and whether it is the first. */
export function nextPosition(
  store: SqliteStore,
  { endpointId, lane }: OrderingKey,
): { place: number; first: boolean } {
  const last = store
    .sql(
      `SELECT max(place) AS place FROM deliveries
       WHERE state = 'waiting' AND endpoint_id = ? AND lane = ?`,
    )
    .get(endpointId, lane)?.["place"] as number | null;
  return { place: (last ?? 0) + 1, first: last === null };
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
