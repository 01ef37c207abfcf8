import { LeaseLostError, UsageError } from "../../errors.ts";
import { assertKnownOptions } from "../../options.ts";
import type { DatabaseSync } from "../../sqlite.ts";
import { assertInteger } from "../assert-integer.ts";
import type { Inbox } from "../inbox.ts";
import { DEFAULT_KEEP_MS } from "../memory-inbox.ts";
import { type Claim, createClaim } from "./claims.ts";
import { openDatabase, uptimeMs } from "./database.ts";
import { groupCommit } from "./group-commit.ts";
import { migrate } from "./schema.ts";
import { countDeliveries, listDeliveries, placesOf, statusOf } from "./selection.ts";
import { createTables } from "./tables.ts";

/**
 * Collects statements of a handler. They run synchronously, in the order of the calls, in the
 * commit that records that the delivery was handled. If one throws, nothing of the handler's
 * statements is committed, and the attempt failed.
 *
 * @throws {TxfeedError} `usage` if the handler has ended.
 */
export type SqliteTransaction = (work: (database: DatabaseSync) => void) => void;

/** An inbox on SQLite. */
export interface SqliteInbox extends Inbox<SqliteTransaction> {
  /** Closes the file, which keeps the stored deliveries. */
  close(): void;
}

/** The options of an inbox on SQLite. */
export interface SqliteInboxOptions {
  /** The file; created if it does not exist. It may have other tables. */
  readonly path: string;
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /**
   * When another process may handle a delivery that is handled before it is acknowledged, after a
   * process ended meanwhile, in milliseconds. Live processes renew their claim. Default: 8,000.
   */
  readonly leaseMs?: number;
  /**
   * A clock in milliseconds that replaces both default ones: the time since the machine started for
   * delays and leases, and the wall clock for handled deliveries. All processes that use the file
   * must share it.
   */
  readonly now?: () => number;
}

const OPTIONS = Object.keys({
  path: 0,
  keepMs: 0,
  leaseMs: 0,
  now: 0,
} satisfies Record<keyof SqliteInboxOptions, 0>);

const LEASE_LOST = "the lease of a lane was lost, because it was not renewed in time";

/**
 * Opens an inbox in a file, for any number of processes of one machine. An added delivery is
 * flushed to the disk: it survives the end of the process, and a power loss if the disk honours
 * flushes. So do the statements of a delivery that is acknowledged after it is handled. Other
 * changes are not flushed at once: after a power loss, a delivery that was just handled may be
 * handled again.
 *
 * Delays and leases do not depend on the wall clock. A restart of the machine restarts each delay.
 *
 * If the file is deleted, replaced or truncated while it is in use, `add` and `once` reject until
 * the original file is back or the service restarts.
 *
 * @throws {TxfeedError} `file` if the file can't be opened, is not a database, or was written by a
 * newer version; `usage` if a time is not a positive integer, or an option is unknown.
 * @example sqliteInbox({ path: "feed.db" })
 */
export function sqliteInbox(options: SqliteInboxOptions): SqliteInbox {
  assertKnownOptions("sqliteInbox", options, OPTIONS);
  const { path, keepMs = DEFAULT_KEEP_MS, leaseMs = 8000 } = options;
  const { now: uptime = uptimeMs, now: wallClock = Date.now } = options;
  assertInteger("sqliteInbox: keepMs", keepMs);
  assertInteger("sqliteInbox: leaseMs", leaseMs);
  const database = openDatabase(path, migrate);
  const { write, flush } = groupCommit(database);
  const tables = createTables(database, keepMs, { uptime, wallClock });
  const claim = createClaim(database, uptime);

  /** Runs work in a write that the loss of a lease or a handler's statement undoes. */
  const writeIfLeased = <T>(leases: readonly Claim[], run: () => T, durability = {}): Promise<T> =>
    write(
      () => {
        if (!leases.every(tables.isLeased)) throw new LeaseLostError(LEASE_LOST);
        return run();
      },
      { ...durability, mayFail: true },
    );

  return {
    add: (delivery) =>
      write(
        () => {
          tables.tidy();
          if (tables.isHandled(delivery.key)) return "handled";
          const place = tables.placeOf(delivery.key);
          if (place?.isQuarantined === 0) return "waiting";
          if (place) tables.replay(place);
          else tables.add(delivery);
          return place ? "replayed" : "added";
        },
        { toDisk: true, checksFile: true },
      ),

    take: (limit, forMs) =>
      write(() => {
        tables.tidy();
        return tables.take(limit, forMs);
      }),

    renew: (leases, forMs) => write(() => leases.filter((lease) => !tables.renew(lease, forMs))),

    async transaction(work) {
      const parts: Part[] = [];
      const settlements = await work(async (run) => {
        const part = createPart();
        try {
          const result = await run(part.collect);
          parts.push(part);
          return result;
        } finally {
          part.end();
        }
      });
      const leases = settlements.map(({ lease }) => lease);
      await writeIfLeased(leases, () => {
        for (const part of parts) part.run(database);
        for (const settlement of settlements) tables.settle(settlement);
      });
    },

    async once(delivery, work) {
      const { key } = delivery;
      const claims = await write(
        () => {
          tables.tidy();
          if (tables.isHandled(key)) return "duplicate";
          if (tables.placeOf(key)?.isQuarantined === 0) return "busy";
          return claim(delivery, leaseMs) ?? "busy";
        },
        { checksFile: true },
      );
      if (typeof claims === "string") return claims;
      const renewal = setInterval(() => {
        // If a renewal fails, the next one may still be in time.
        write(() => claims.map((each) => tables.renew(each, leaseMs))).catch(() => {});
      }, leaseMs / 3);
      const release = () => {
        for (const each of claims) if (tables.isLeased(each)) tables.free(Number(each.lane));
      };
      const part = createPart();
      try {
        await work(part.collect);
        part.end();
        await writeIfLeased(
          claims,
          () => {
            part.run(database);
            tables.remember(key);
            const stored = tables.placeOf(key);
            if (stored) tables.drop(stored);
            release();
          },
          part.isUsed() ? { toDisk: true, checksFile: true } : {},
        );
        return "handled";
      } catch (error) {
        part.end();
        await write(release).catch(() => {});
        throw error;
      } finally {
        clearInterval(renewal);
      }
    },

    status: async () => statusOf(database, uptime()),
    list: async (filter = {}) => listDeliveries(database, filter),
    count: async (filter = {}) => countDeliveries(database, filter),

    replay: (filter) =>
      write(
        () => {
          const places = placesOf(database, filter);
          for (const place of places) tables.replay(place);
          return places.length;
        },
        { mayFail: true },
      ),

    drop: (filter) =>
      write(
        () => {
          const places = placesOf(database, filter);
          for (const place of places) tables.drop(place);
          return places.length;
        },
        { mayFail: true },
      ),

    close() {
      if (!database.isOpen) return;
      flush();
      database.close();
    },
  };
}

/** The statements of one handler. */
type Part = ReturnType<typeof createPart>;

function createPart() {
  const works: ((database: DatabaseSync) => void)[] = [];
  let isOver = false;
  const collect: SqliteTransaction = (work) => {
    if (isOver) {
      throw new UsageError("tx was called after its handler ended; await what calls it");
    }
    works.push(work);
  };
  return {
    collect,
    end: () => {
      isOver = true;
    },
    isUsed: () => works.length > 0,
    run(database: DatabaseSync): void {
      if (works.length === 0) return;
      database.exec("SAVEPOINT webhook_handler");
      for (const work of works) {
        const result: unknown = work(database);
        if (typeof (result as { then?: unknown } | undefined)?.then !== "function") continue;
        throw new UsageError("the function passed to tx must be synchronous; got a promise");
      }
      try {
        database.exec("RELEASE webhook_handler");
      } catch (error) {
        const reason = "a handler's statements ended the transaction of the inbox";
        throw new UsageError(`${reason}; don't use BEGIN, COMMIT, END or ROLLBACK`, {
          cause: error,
        });
      }
    },
  };
}
