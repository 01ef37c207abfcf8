import type { DatabaseSync } from "../../sqlite.ts";
import type { Lease, LeasedDelivery, NewDelivery, Settlement } from "../inbox.ts";
import { LEASE_SIZE } from "../memory-inbox.ts";

/** How many characters the bodies of a lease have at most, unless it has only one delivery. */
const LEASE_CHARACTERS = 1_000_000;

/** How often rows are checked that expired, or have times of a clock that was ahead. */
const CHECK_EVERY_MS = 60_000;

const DELIVERY = `d.id, d.key, substr(l.name, 2) AS lane, d.event, d.body, d.headers,
  d.delivery_id AS deliveryId, d.received_at AS receivedAt, d.failures`;

/** The clocks of the tables, in milliseconds. */
export interface Clocks {
  /** Measures delays and leases. */
  readonly uptime: () => number;
  /** Measures how long handled deliveries are remembered. */
  readonly wallClock: () => number;
}

/** A stored delivery, and where it is. */
export interface Place {
  readonly id: number;
  readonly laneId: number;
  readonly isQuarantined: number;
}

/** The changes of the tables. Each must run in a transaction. */
export type Tables = ReturnType<typeof createTables>;

/** Prepares the statements of the tables. */
export function createTables(database: DatabaseSync, keepMs: number, clocks: Clocks) {
  const { uptime, wallClock } = clocks;
  const prepare = (sql: string) => database.prepare(sql);
  const statement = {
    isHandled: prepare("SELECT 1 FROM webhook_handled WHERE key = ? AND expires_at > ?"),
    remember: prepare(
      "INSERT OR REPLACE INTO webhook_handled VALUES (:key, :now + :keepMs, :keepMs)",
    ),
    forget: prepare("DELETE FROM webhook_handled WHERE expires_at <= ?"),
    restartMemory: prepare(
      `UPDATE webhook_handled SET expires_at = :now + period_ms
       WHERE expires_at > :now + :keepMs AND expires_at - period_ms > :now`,
    ),
    restartDelays: prepare(
      `UPDATE webhook_lane SET due_at = :now + delay_ms
       WHERE due_at > :now AND due_at - delay_ms > :now`,
    ),
    place: prepare(
      `SELECT id, lane_id AS laneId, is_quarantined AS isQuarantined
       FROM webhook_delivery WHERE key = ?`,
    ),
    addOwnLane: prepare("INSERT INTO webhook_lane (due_at) VALUES (:now) RETURNING id"),
    addLane: prepare(
      `INSERT INTO webhook_lane (name, due_at) VALUES ('=' || :lane, :now)
       ON CONFLICT (name) DO UPDATE SET due_at = coalesce(due_at, excluded.due_at) RETURNING id`,
    ),
    add: prepare(
      `INSERT INTO webhook_delivery
         (lane_id, key, received_at, delivery_id, event, headers, body)
       VALUES (:laneId, :key, :receivedAt, :deliveryId, :event, :headers, :body)`,
    ),
    due: prepare("SELECT id FROM webhook_lane WHERE due_at <= ? ORDER BY due_at, id LIMIT 1"),
    lease: prepare(
      `UPDATE webhook_lane SET due_at = :now + :leaseMs, delay_ms = :leaseMs, token = :token,
         interruptions = interruptions + 1
       WHERE id = :id RETURNING interruptions - 1 AS interruptions`,
    ),
    renew: prepare(
      `UPDATE webhook_lane SET due_at = :now + :leaseMs, delay_ms = :leaseMs
       WHERE id = :id AND token = :token`,
    ),
    isLeased: prepare("SELECT 1 FROM webhook_lane WHERE id = ? AND token = ?"),
    first: prepare(
      `SELECT ${DELIVERY} FROM webhook_delivery d JOIN webhook_lane l ON l.id = d.lane_id
       WHERE d.lane_id = ? AND d.is_quarantined = 0 ORDER BY d.id LIMIT ?`,
    ),
    firstId: prepare(
      `SELECT id FROM webhook_delivery WHERE lane_id = ? AND is_quarantined = 0
       ORDER BY id LIMIT 1`,
    ),
    missing: prepare(
      `SELECT count(*) AS count FROM webhook_delivery
       WHERE lane_id = ? AND is_quarantined = 1 AND id < ?`,
    ),
    remove: prepare("DELETE FROM webhook_delivery WHERE id = ? AND lane_id = ? RETURNING key"),
    quarantine: prepare(
      `UPDATE webhook_delivery
       SET is_quarantined = 1, failures = failures + 1, reason = :reason
       WHERE id = :id AND lane_id = :laneId`,
    ),
    retry: prepare(
      `UPDATE webhook_delivery SET failures = failures + :isFailure, reason = :reason
       WHERE id = :id AND lane_id = :laneId`,
    ),
    replay: prepare(
      `UPDATE webhook_delivery SET is_quarantined = 0, failures = 0, reason = NULL
       WHERE id = ? AND is_quarantined = 1`,
    ),
    // The interruptions may be those of another delivery.
    wake: prepare(
      `UPDATE webhook_lane SET interruptions = token IS NOT NULL,
         due_at = iif(token IS NULL, :now, due_at), delay_ms = iif(token IS NULL, 0, delay_ms)
       WHERE id = :id RETURNING token`,
    ),
    setInterruptions: prepare("UPDATE webhook_lane SET interruptions = ? WHERE id = ?"),
    makeDue: prepare(
      `UPDATE webhook_lane SET due_at = :now + :delayMs, delay_ms = :delayMs, token = NULL
       WHERE id = :id`,
    ),
    removeLane: prepare(
      `DELETE FROM webhook_lane WHERE id = :id
         AND NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE lane_id = :id)`,
    ),
    idle: prepare("UPDATE webhook_lane SET due_at = NULL, delay_ms = 0, token = NULL WHERE id = ?"),
  };
  let checkedAt = Number.NEGATIVE_INFINITY;
  let latest = checkedAt;

  /** Ends the lease of a lane, if there is one, and makes the lane due if a delivery waits. */
  function free(id: number, delayMs = 0): void {
    if (statement.firstId.get(id)) statement.makeDue.run({ id, now: uptime(), delayMs });
    else if (statement.removeLane.run({ id }).changes === 0) statement.idle.run(id);
  }

  /** Makes a lane that an operator or a sender changed due at once, unless it is leased. */
  function wake(id: number): void {
    if (statement.wake.get({ id, now: uptime() })?.["token"] === null) free(id);
  }

  function remember(key: unknown): void {
    if (typeof key === "string") statement.remember.run({ key, now: wallClock(), keepMs });
  }

  /** The first deliveries of a lane. */
  function deliveriesOf(laneId: number, limit: number): LeasedDelivery[] {
    const deliveries: LeasedDelivery[] = [];
    let characters = 0;
    for (const row of statement.first.iterate(laneId, limit)) {
      characters += String(row["body"]).length;
      if (deliveries.length > 0 && characters > LEASE_CHARACTERS) break;
      const missing = Number(statement.missing.get(laneId, Number(row["id"]))?.["count"]);
      deliveries.push({ ...deliveryOf(row), missing } as LeasedDelivery);
    }
    return deliveries;
  }

  const tables = {
    /**
     * Removes expired rows, and restarts delays that began in the future: a restart of the machine
     * resets its uptime, and the wall clock may have been ahead. Most calls do nothing.
     */
    tidy(): void {
      const now = uptime();
      if (now >= latest && now < checkedAt + CHECK_EVERY_MS) return;
      statement.restartDelays.run({ now });
      statement.forget.run(wallClock());
      statement.restartMemory.run({ now: wallClock(), keepMs });
      latest = now;
      checkedAt = now;
    },

    isHandled: (key: string | null) =>
      key !== null && statement.isHandled.get(key, wallClock()) !== undefined,

    /** Finds a stored delivery. */
    placeOf: (key: string | null) =>
      key === null ? undefined : (statement.place.get(key) as Place | undefined),

    add({ key, lane, receivedAt, deliveryId, event, headers, body }: NewDelivery): void {
      const now = uptime();
      const row =
        lane === null ? statement.addOwnLane.get({ now }) : statement.addLane.get({ lane, now });
      const values = { key, receivedAt, deliveryId, event, headers: JSON.stringify(headers), body };
      statement.add.run({ laneId: Number(row?.["id"]), ...values });
    },

    replay({ id, laneId }: Place): void {
      statement.replay.run(id);
      wake(laneId);
    },

    drop({ id, laneId, isQuarantined }: Place): void {
      statement.remove.run(id, laneId);
      if (isQuarantined === 0) wake(laneId);
      else statement.removeLane.run({ id: laneId });
    },

    take(limit: number, leaseMs: number): Lease[] {
      const leases: Lease[] = [];
      const now = uptime();
      while (leases.length < limit) {
        const id = statement.due.get(now)?.["id"];
        if (id === undefined) break;
        const lane = Number(id);
        const token = crypto.randomUUID();
        const row = statement.lease.get({ id: lane, now, leaseMs, token });
        const interruptions = Number(row?.["interruptions"]);
        const deliveries = deliveriesOf(lane, interruptions > 0 ? 1 : LEASE_SIZE);
        // The deliveries of a lease can be dropped, and a process can end during `once`.
        if (deliveries.length === 0) free(lane);
        else leases.push({ lane: String(lane), token, interruptions, deliveries });
      }
      return leases;
    },

    /** @returns whether the lease was not lost. */
    renew: ({ lane, token }: Pick<Lease, "lane" | "token">, leaseMs: number) =>
      statement.renew.run({ id: Number(lane), token, now: uptime(), leaseMs }).changes === 1,

    isLeased: ({ lane, token }: Pick<Lease, "lane" | "token">) =>
      statement.isLeased.get(Number(lane), token) !== undefined,

    settle({ lease, handled, quarantined, retry }: Settlement): void {
      const laneId = Number(lease.lane);
      for (const id of handled) remember(statement.remove.get(id, laneId)?.["key"]);
      for (const { id, reason } of quarantined) statement.quarantine.run({ id, laneId, reason });
      if (retry) {
        const { id, reason, isFailure } = retry;
        statement.retry.run({ id, laneId, reason, isFailure: isFailure ? 1 : 0 });
      }
      const isReleased = handled.length + quarantined.length === 0 && !retry;
      statement.setInterruptions.run(isReleased ? lease.interruptions : 0, laneId);
      const isFirst = retry && statement.firstId.get(laneId)?.["id"] === retry.id;
      free(laneId, isFirst ? retry.delayMs : 0);
    },

    remember,
    free,
  };
  return tables;
}

/** Converts a row to a delivery. */
export function deliveryOf({ headers, ...row }: Record<string, unknown>): Record<string, unknown> {
  return { ...row, headers: JSON.parse(String(headers)) };
}
