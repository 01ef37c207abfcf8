import type { DatabaseSync } from "../../sqlite.ts";
import type { Lease, NewDelivery } from "../inbox.ts";

/** A lane, or a key as if it were one, that a call of `once` holds. */
export type Claim = Pick<Lease, "lane" | "token">;

/**
 * Creates the function that claims the key and the lane of a delivery. It must run in a
 * transaction. A claim is a lease of a lane, so that no worker takes the lane meanwhile.
 *
 * @returns the claims; undefined if one of the lanes is leased or has waiting deliveries.
 */
export function createClaim(database: DatabaseSync, uptime: () => number) {
  // An expired lease of a lane without deliveries is that of a process that ended during `once`.
  const isBusy = database.prepare(
    `SELECT 1 FROM webhook_lane l WHERE name = :name AND (due_at > :now
       OR EXISTS (SELECT 1 FROM webhook_delivery WHERE lane_id = l.id AND is_quarantined = 0))`,
  );
  const claim = database.prepare(
    `INSERT INTO webhook_lane (name, due_at, delay_ms, token)
     VALUES (:name, :now + :leaseMs, :leaseMs, :token)
     ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, delay_ms = excluded.delay_ms,
       token = excluded.token, interruptions = 0
     RETURNING id`,
  );
  return (
    { key, lane }: Pick<NewDelivery, "key" | "lane">,
    leaseMs: number,
  ): readonly Claim[] | undefined => {
    const now = uptime();
    const names = [lane === null ? [] : `=${lane}`, key === null ? [] : `#${key}`].flat();
    if (names.some((name) => isBusy.get({ name, now }))) return undefined;
    return names.map((name) => {
      const token = crypto.randomUUID();
      return { lane: String(claim.get({ name, now, leaseMs, token })?.["id"]), token };
    });
  };
}
