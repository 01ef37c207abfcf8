import {
  type Claim,
  DEFAULT_KEEP_MS,
  DEFAULT_LEASE_MS,
  type DuplicateStore,
  type DuplicateTimes,
} from "../duplicates.ts";
import { checkWholeNumber } from "../whole-number.ts";
import { openDatabase } from "./database.ts";
import { groupCommit } from "./group-commit.ts";

// Claimed where there is a token, done where there is none.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS webhook_duplicates (
    key TEXT PRIMARY KEY,
    token TEXT,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS webhook_duplicates_expiry ON webhook_duplicates (expires_at);
`;

/** After how many claims what is over is swept out. */
const SWEEP_EVERY = 1000;

/** Where a store on SQLite is, and how long it holds what. */
export interface SqliteDuplicatesOptions extends DuplicateTimes {
  /** The file; made where it is not there. It may be that of a queue. */
  readonly path: string;
}

/** A store on SQLite. */
export interface SqliteDuplicates extends DuplicateStore {
  /** Closes the file. */
  close(): void;
}

/**
 * Remembers handled deliveries in a file, for any number of processes of one machine. It survives
 * the end of a process. A power loss may take the latest back, which are then handled again.
 *
 * @throws TxfeedError `file` where the file can't be opened or is no database, `usage` where a time
 * is no positive whole number.
 */
export function sqliteDuplicates({
  path,
  leaseMs = DEFAULT_LEASE_MS,
  keepMs = DEFAULT_KEEP_MS,
  now = Date.now,
}: SqliteDuplicatesOptions): SqliteDuplicates {
  checkWholeNumber("sqliteDuplicates: leaseMs", leaseMs);
  checkWholeNumber("sqliteDuplicates: keepMs", keepMs);
  const database = openDatabase(path, SCHEMA);
  const { write, flush } = groupCommit(database);
  const insert = database.prepare(
    `INSERT INTO webhook_duplicates (key, token, expires_at) VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
     WHERE expires_at <= ?`,
  );
  const look = database.prepare("SELECT token FROM webhook_duplicates WHERE key = ?");
  const done = database.prepare(
    "INSERT OR REPLACE INTO webhook_duplicates (key, token, expires_at) VALUES (?, NULL, ?)",
  );
  const release = database.prepare("DELETE FROM webhook_duplicates WHERE key = ? AND token = ?");
  const sweep = database.prepare("DELETE FROM webhook_duplicates WHERE expires_at <= ?");
  let claims = 0;

  function claim(key: string): Claim {
    if (claims++ % SWEEP_EVERY === 0) sweep.run(now());
    const token = crypto.randomUUID();
    if (insert.run(key, token, now() + leaseMs, now()).changes === 0) {
      return { state: look.get(key)?.token === null ? "done" : "busy" };
    }
    return {
      state: "claimed",
      done: () => write(() => void done.run(key, now() + keepMs)),
      release: () => write(() => void release.run(key, token)),
    };
  }

  return {
    claim: (key) => write(() => claim(key)),
    close() {
      flush();
      database.close();
    },
  };
}
