import { LeaseLostError } from "../../errors.ts";
import type { DatabaseSync } from "../../sqlite.ts";
import { LEASE_CHARACTERS } from "../inbox.ts";
import { COLUMNS } from "../sql-inbox.ts";
import { leaseLost, type Procedure, type Row, type Settle } from "../store.ts";

/** How often rows are checked that expired, or have times of a clock that was ahead. */
const CHECK_EVERY_MS = 60_000;

const WAITS = "EXISTS (SELECT 1 FROM webhook_delivery WHERE lane = name AND NOT quarantined)";
const IDS = "(SELECT value FROM json_each(:ids))";
const LANES = "(SELECT value FROM json_each(:lanes))";

/**
 * The statements. Lists are passed as JSON. `:now` is the uptime, which measures delays and leases;
 * `:time` is the wall clock, which measures how long handled deliveries are remembered.
 */
const STATEMENTS = {
  forget: "DELETE FROM webhook_handled WHERE expires_at <= :time",
  restartMemory: `UPDATE webhook_handled SET expires_at = :time + period_ms
    WHERE expires_at > :time + :keepMs AND expires_at - period_ms > :time`,
  restartDelays: `UPDATE webhook_lane SET due_at = :now + delay_ms
    WHERE due_at > :now AND due_at - delay_ms > :now`,

  known: `SELECT head.key + 1 AS place, delivery.id,
      iif(delivery.id IS NULL, 'handled', iif(quarantined, 'replayed', 'waiting')) AS result
    FROM json_each(:keys) AS head
    LEFT JOIN webhook_delivery AS delivery ON delivery.key = head.value
    LEFT JOIN webhook_handled AS handled ON handled.key = head.value AND expires_at > :time
    WHERE delivery.id IS NOT NULL OR handled.key IS NOT NULL`,
  openLanes: `INSERT INTO webhook_lane (name, due_at)
    SELECT value, :now FROM json_each(:lanes) WHERE TRUE
    ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at WHERE due_at IS NULL`,
  add: `INSERT INTO webhook_delivery
      (key, lane, event, headers, delivery_id, received_at, body)
    VALUES (:key, :lane, :event, :headers, :sender, :received, :body)`,

  due: `SELECT name, due_at AS due, ${WAITS} AS waits FROM webhook_lane
    WHERE due_at <= :now ORDER BY due_at, rowid LIMIT :maxLanes`,
  lease: `UPDATE webhook_lane SET due_at = :now + :leaseMs, delay_ms = :leaseMs,
      token = lower(hex(randomblob(16))), interruptions = interruptions + 1
    WHERE name IN ${LANES}`,
  first: `SELECT ${COLUMNS}, token, interruptions - 1 AS interruptions
    FROM webhook_lane JOIN webhook_delivery AS delivery ON lane = :lane AND NOT quarantined
    WHERE name = :lane ORDER BY delivery.id LIMIT :maxDeliveries`,
  missing: `SELECT count(*) AS missing FROM webhook_delivery
    WHERE lane = :lane AND quarantined AND id > :after AND id < :before`,
  idle: `UPDATE webhook_lane SET due_at = NULL, delay_ms = 0, token = NULL, interruptions = 0
    WHERE name IN ${LANES}`,
  removeEmpty: `DELETE FROM webhook_lane WHERE name IN ${LANES} AND due_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE lane = name AND quarantined)`,

  renew: `UPDATE webhook_lane SET due_at = :now + :leaseMs, delay_ms = :leaseMs
    FROM json_each(:leases) AS lease
    WHERE name = lease.value ->> 'lane' AND token = lease.value ->> 'token'`,
  lost: `SELECT value ->> 'lane' AS lane FROM json_each(:leases) WHERE NOT EXISTS
    (SELECT 1 FROM webhook_lane WHERE name = value ->> 'lane' AND token = value ->> 'token')`,

  remember: `INSERT OR REPLACE INTO webhook_handled
    SELECT key, :time + :keepMs, :keepMs FROM webhook_delivery
    WHERE id IN ${IDS} AND key IS NOT NULL AND NOT quarantined`,
  rememberKey: `INSERT OR REPLACE INTO webhook_handled
    SELECT :key, :time + :keepMs, :keepMs WHERE NOT EXISTS (
      SELECT 1 FROM webhook_handled WHERE key = :key AND expires_at > :time
    ) RETURNING 1`,
  removeHandled: `DELETE FROM webhook_delivery WHERE id IN ${IDS} AND NOT quarantined`,
  stored: "SELECT id, quarantined FROM webhook_delivery WHERE key = :key",
  fail: `UPDATE webhook_delivery SET quarantined = failed.value ->> 'quarantined',
      reason = failed.value ->> 'reason', failures = failures + (failed.value ->> 'failures')
    FROM json_each(:failed) AS failed
    WHERE webhook_delivery.id = failed.value ->> 'id' AND NOT webhook_delivery.quarantined`,
  // Without a waiting delivery, the delay is null, and thereby due_at.
  end: `UPDATE webhook_lane SET token = NULL,
      due_at = iif(ended.changed, :now, ended.due_at) + ended.delay_ms,
      delay_ms = coalesce(ended.delay_ms, 0),
      interruptions = CASE ended.counted WHEN 'one' THEN interruptions
        WHEN 'none' THEN interruptions - 1 ELSE 0 END
    FROM (SELECT lease.value ->> 'lane' AS lane, lease.value ->> 'changed' AS changed,
        lease.value ->> 'due_at' AS due_at,
        lease.value ->> 'counted' AS counted,
        (SELECT iif(delivery.id = lease.value ->> 'retry', lease.value ->> 'delay_ms', 0)
          FROM webhook_delivery AS delivery
          WHERE delivery.lane = lease.value ->> 'lane' AND NOT quarantined
          ORDER BY delivery.id LIMIT 1) AS delay_ms
      FROM json_each(:leases) AS lease) AS ended
    WHERE name = ended.lane`,

  refuse: `SELECT 'handled' AS result FROM webhook_handled WHERE key = :key AND expires_at > :time
    UNION ALL SELECT 'busy' FROM webhook_delivery WHERE key = :key AND NOT quarantined
    UNION ALL SELECT 'busy' FROM webhook_lane
      WHERE name IN ${LANES} AND (due_at > :now OR ${WAITS})
    LIMIT 1`,
  claim: `INSERT INTO webhook_lane (name, due_at, delay_ms, token, interruptions)
    SELECT value, :now + :leaseMs, :leaseMs, :token, 1 FROM json_each(:lanes) WHERE TRUE
    ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, delay_ms = excluded.delay_ms,
      token = excluded.token, interruptions = 1
    RETURNING name AS lane, token`,

  count: `SELECT count(*) AS total FROM webhook_delivery WHERE id IN ${IDS}`,
  replay: `UPDATE webhook_delivery SET quarantined = 0, failures = 0, reason = NULL
    WHERE id IN ${IDS} AND quarantined`,
  // Also repairs a lane that is missing. The interruptions may be those of another delivery.
  wake: `INSERT INTO webhook_lane (name, due_at)
    SELECT DISTINCT lane, :now FROM webhook_delivery WHERE id IN ${IDS}
    ON CONFLICT (name) DO UPDATE SET interruptions = token IS NOT NULL,
      due_at = iif(token IS NULL, min(coalesce(due_at, :now), :now), due_at),
      delay_ms = iif(token IS NULL, 0, delay_ms)`,
  discard: `DELETE FROM webhook_delivery
    WHERE id IN ${IDS} AND quarantined = coalesce(:isolated, quarantined)
    RETURNING lane, quarantined`,
  // A delay and interruptions may be those of a deleted delivery.
  next: `UPDATE webhook_lane SET interruptions = token IS NOT NULL,
      due_at = iif(token IS NULL, iif(${WAITS}, :now, NULL), due_at),
      delay_ms = iif(token IS NULL, 0, delay_ms)
    WHERE name IN ${LANES}`,
};

type Values = Readonly<Record<string, unknown>>;
type Leases = readonly { readonly lane: string; readonly key?: string | null }[];
type Head = Values & { readonly key: string | null; readonly lane: string };

/** The clocks of the tables, and how long handled deliveries are remembered, in milliseconds. */
export interface Clocks {
  readonly uptime: () => number;
  readonly wallClock: () => number;
  readonly keepMs: number;
}

/** Prepares the procedures. Each must run in a transaction. */
export function createProcedures(database: DatabaseSync, { uptime, wallClock, keepMs }: Clocks) {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setAllowUnknownNamedParameters(true);
    return statement;
  };
  const statements = Object.fromEntries(
    Object.entries(STATEMENTS).map(([name, sql]) => [name, prepare(sql)]),
  ) as Record<keyof typeof STATEMENTS, ReturnType<typeof prepare>>;

  function bound(values: Values) {
    const all: Record<string, unknown> = { now: uptime(), time: wallClock(), ...values };
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === "object" && value !== null) all[name] = JSON.stringify(value);
    }
    return all as Record<string, string | number | null>;
  }
  const run = (name: keyof typeof STATEMENTS, values: Values = {}): readonly Row[] =>
    statements[name].all(bound(values));

  let checkedAt = Number.NEGATIVE_INFINITY;
  let latest = checkedAt;

  /**
   * Removes expired rows, and restarts delays that began in the future: a restart of the machine
   * resets its uptime, and the wall clock may have been ahead. Most calls do nothing.
   */
  function tidy(): void {
    const now = uptime();
    if (now >= latest && now < checkedAt + CHECK_EVERY_MS) return;
    run("restartDelays");
    run("forget");
    run("restartMemory", { keepMs });
    latest = now;
    checkedAt = now;
  }

  function receive(heads: readonly Head[], bodies: readonly string[]): readonly Row[] {
    tidy();
    const known = run("known", { keys: heads.map(({ key }) => key) });
    const places = new Set(known.map(({ place }) => place));
    const added = heads
      .map((head, at) => ({ ...head, body: bodies[at] }))
      .filter((_head, at) => !places.has(at + 1));
    if (added.length > 0) run("openLanes", { lanes: added.map(({ lane }) => lane) });
    for (const each of added) run("add", each);
    const ids = known.flatMap(({ result, id }) => (result === "replayed" ? [id] : []));
    if (ids.length > 0) replay(ids);
    return known;
  }

  function replay(ids: readonly unknown[]): readonly Row[] {
    run("replay", { ids });
    run("wake", { ids });
    return run("count", { ids });
  }

  /** With `isIsolated`, only those that still are in quarantine, or are not. */
  function discard(ids: readonly unknown[], isIsolated: boolean | null = null): readonly Row[] {
    const isolated = isIsolated === null ? null : Number(isIsolated);
    const deleted = run("discard", { ids, isolated });
    const waiting = deleted.filter(({ quarantined }) => quarantined === 0);
    run("next", { lanes: waiting.map(({ lane }) => lane) });
    run("removeEmpty", { lanes: deleted.map(({ lane }) => lane) });
    return [{ total: deleted.length }];
  }

  /** The lanes that are due the longest; not those that a drop or the end of a process emptied. */
  function dueLanes(maxLanes: number, now: number): readonly Row[] {
    const due = run("due", { maxLanes, now });
    const lanes = due.filter(({ waits }) => waits === 0).map(({ name }) => name);
    if (lanes.length === 0) return due;
    run("idle", { lanes });
    run("removeEmpty", { lanes });
    return dueLanes(maxLanes, now);
  }

  /** The first deliveries of a lane that was leased; only one if it was interrupted. */
  function firstOf({ name: lane, due }: Row, maxDeliveries: number): readonly Row[] {
    const rows: Row[] = [];
    let [characters, missing, after] = [0, 0, 0];
    for (const row of statements.first.iterate(bound({ lane, maxDeliveries }))) {
      characters += String(row["body"]).length;
      if (rows.length > 0 && characters > LEASE_CHARACTERS) break;
      const before = Number(row["id"]);
      missing += Number(run("missing", { lane, after, before })[0]?.["missing"]);
      after = before;
      rows.push({ ...row, due, missing });
      if (row["interruptions"] !== 0) break;
    }
    return rows;
  }

  /** @throws {TxfeedError} `lease-lost` if a lease was lost. */
  function assertLeased(leases: readonly unknown[]): void {
    if (run("lost", { leases }).length === 0) return;
    throw leaseLost();
  }

  const procedures = {
    receive,
    replay,
    discard,
    assertLeased,

    probe() {
      const lane = `#${crypto.randomUUID()}`;
      const head = { key: lane, lane, event: "", headers: {}, sender: null, received: "" };
      receive([head], ["x".repeat(7000)]);
      return discard(run("stored", { key: lane }).map(({ id }) => id));
    },

    take(maxLanes: number, maxDeliveries: number, leaseMs: number, calledAt: number) {
      tidy();
      const lanes = dueLanes(maxLanes, calledAt);
      if (lanes.length === 0) return [];
      run("lease", { lanes: lanes.map(({ name }) => name), leaseMs });
      return lanes.flatMap((lane) => firstOf(lane, maxDeliveries));
    },

    renew(leases: Leases, leaseMs: number) {
      run("renew", { leases, leaseMs });
      return run("lost", { leases });
    },

    settle(...[leases, handled, failed, keepMs]: Settle) {
      assertLeased(leases);
      run("remember", { ids: handled, keepMs });
      run("removeHandled", { ids: handled });
      if (failed.length > 0) run("fail", { failed });
      for (const { key } of leases as Leases) {
        if (typeof key !== "string") continue;
        const stored = run("stored", { key });
        const isWaiting = stored.some(({ quarantined }) => quarantined === 0);
        if (isWaiting || run("rememberKey", { key, keepMs }).length === 0) {
          throw new LeaseLostError("another worker stored or handled the delivery meanwhile");
        }
        discard(stored.map(({ id }) => id));
      }
      run("end", { leases });
      run("removeEmpty", { lanes: (leases as Leases).map(({ lane }) => lane) });
      return [];
    },

    claim(key: string | null, lane: string | null, leaseMs: number) {
      tidy();
      const lanes = [key === null ? [] : `#key ${key}`, lane === null ? [] : `=${lane}`].flat();
      const refusal = run("refuse", { key, lanes });
      if (refusal.length > 0) return refusal;
      return run("claim", { lanes, leaseMs, token: crypto.randomUUID() });
    },
  };
  return procedures satisfies Record<Procedure, unknown>;
}
