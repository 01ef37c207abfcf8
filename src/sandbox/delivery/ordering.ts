import type { Store } from "../store/store.ts";

/**
 * Where deliveries wait for each other: those of one resource at one endpoint, or, where the
 * endpoint does not ask for order, each alone. Only the first of a lane is ever due; whoever takes
 * a delivery out of its lane, or puts one in, keeps `is_first` right within the same change.
 */
export interface OrderingKey {
  readonly endpointId: string;
  readonly lane: string;
}

/** The place behind the last that waits, and whether that is the first. */
export function nextPosition(
  store: Store,
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

/** Lets the next one go, once the first has ended. */
export function releaseNext(store: Store, { endpointId, lane }: OrderingKey): void {
  store
    .sql(
      `UPDATE deliveries SET is_first = 1 WHERE seq =
         (SELECT seq FROM deliveries WHERE state = 'waiting' AND endpoint_id = ? AND lane = ?
          ORDER BY place LIMIT 1)`,
    )
    .run(endpointId, lane);
}
