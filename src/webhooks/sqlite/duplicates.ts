import { assertKnownOptions } from "../../options.ts";
import { assertInteger } from "../assert-integer.ts";
import {
  type Claim,
  DEFAULT_KEEP_MS,
  DEFAULT_LEASE_MS,
  type DuplicateStore,
  type DuplicateTimes,
} from "../duplicates.ts";
import { createTable, openDatabase, uptimeMs } from "./database.ts";
import { fileGuard } from "./file-guard.ts";
import { groupCommit } from "./group-commit.ts";

// A row with a token is a claim and expires by the machine's uptime. A row without one is a handled
// delivery and expires by the wall clock, because it must survive a restart of the machine.
const TABLE = {
  name: "webhook_duplicates",
  schema: `
    CREATE TABLE IF NOT EXISTS webhook_duplicates (
      key TEXT PRIMARY KEY,
      token TEXT,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS webhook_duplicates_expiry ON webhook_duplicates (expires_at);
  `,
  added: {
    owner: "TEXT",
    // The row was written at expires_at - period_ms, which is in the past.
    period_ms: "INTEGER NOT NULL DEFAULT 0",
  },
};

/** How many claims there are between deletions of expired rows. */
const SWEEP_EVERY = 1000;

/** The options of a store on SQLite. */
export interface SqliteDuplicatesOptions extends DuplicateTimes {
  /** The file; created if it does not exist. A queue may share it. */
  readonly path: string;
}

const OPTIONS = Object.keys({
  path: 0,
  leaseMs: 0,
  keepMs: 0,
  now: 0,
} satisfies Record<keyof SqliteDuplicatesOptions, 0>);

/** A store on SQLite. */
export interface SqliteDuplicates extends DuplicateStore {
  /** Closes the file. */
  close(): void;
}

/**
 * Remembers handled deliveries in a file, for any number of processes of one machine. They survive
 * the end of a process. A power loss may undo the latest, which are then handled again.
 *
 * @throws {TxfeedError} `file` if the file can't be opened or is not a database; `usage` if a time
 * is not a positive integer, or an option is unknown.
 * @example sqliteDuplicates({ path: "feed.db" })
 */
export function sqliteDuplicates(options: SqliteDuplicatesOptions): SqliteDuplicates {
  assertKnownOptions("sqliteDuplicates", options, OPTIONS);
  const { path, leaseMs = DEFAULT_LEASE_MS, keepMs = DEFAULT_KEEP_MS } = options;
  // The option `now` replaces both clocks.
  const { now: uptime = uptimeMs, now: wallClock = Date.now } = options;
  assertInteger("sqliteDuplicates: leaseMs", leaseMs);
  assertInteger("sqliteDuplicates: keepMs", keepMs);
  const database = openDatabase(path, (database) => createTable(database, TABLE));
  const checkFile = fileGuard(database);
  const { write, flush } = groupCommit(database);
  const insert = database.prepare(
    `INSERT INTO webhook_duplicates (key, token, owner, expires_at, period_ms)
     VALUES (:key, :token, :owner, :uptime + :leaseMs, :leaseMs)
     ON CONFLICT (key) DO UPDATE SET token = excluded.token, owner = excluded.owner,
       expires_at = excluded.expires_at, period_ms = excluded.period_ms
     WHERE CASE WHEN token IS NULL THEN expires_at <= :wallClock
       ELSE owner = :owner OR expires_at <= :uptime OR expires_at - period_ms > :uptime END`,
  );
  const find = database.prepare("SELECT token FROM webhook_duplicates WHERE key = ?");
  const done = database.prepare(
    `INSERT OR REPLACE INTO webhook_duplicates (key, expires_at, period_ms)
     VALUES (:key, :wallClock + :keepMs, :keepMs)`,
  );
  const release = database.prepare("DELETE FROM webhook_duplicates WHERE key = ? AND token = ?");
  const sweepClaims = database.prepare(
    "DELETE FROM webhook_duplicates WHERE expires_at <= ? AND token IS NOT NULL",
  );
  const sweepDone = database.prepare(
    "DELETE FROM webhook_duplicates WHERE expires_at <= ? AND token IS NULL",
  );
  // For rows that were written while the wall clock was ahead.
  const restart = database.prepare(
    `UPDATE webhook_duplicates SET expires_at = :wallClock + period_ms
     WHERE expires_at > :wallClock + :keepMs AND expires_at - period_ms > :wallClock
       AND token IS NULL`,
  );
  let claims = 0;

  function claim(key: string, owner: string | undefined): Claim {
    const at = { uptime: uptime(), wallClock: wallClock() };
    if (claims++ % SWEEP_EVERY === 0) {
      sweepClaims.run(at.uptime);
      sweepDone.run(at.wallClock);
      restart.run({ wallClock: at.wallClock, keepMs });
    }
    const token = crypto.randomUUID();
    if (insert.run({ ...at, key, token, owner: owner ?? token, leaseMs }).changes === 0) {
      return { state: find.get(key)?.["token"] === null ? "done" : "busy" };
    }
    return {
      state: "claimed",
      done: async () => {
        await write(() => void done.run({ key, wallClock: wallClock(), keepMs }));
        checkFile();
      },
      release: () => write(() => void release.run(key, token)),
    };
  }

  return {
    claim: (key, owner) => write(() => claim(key, owner)),
    close() {
      flush();
      database.close();
    },
  };
}
