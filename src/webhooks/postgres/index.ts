import { assertInteger, assertKnownOptions, invalidOption } from "../../options.ts";
import { DEFAULT_KEEP_MS, type Inbox, MAX_KEEP_MS } from "../inbox.ts";
import { SqlInbox } from "../sql-inbox.ts";
import { databaseOf, type PostgresClient, type TransactionOf } from "./client.ts";
import { PostgresStore, reservedOf } from "./store.ts";

export type { PostgresClient, TransactionOf } from "./client.ts";

/** The options of an inbox on PostgreSQL. */
export interface PostgresInboxOptions<Client extends PostgresClient = PostgresClient> {
  /**
   * A `Pool` of the package `pg` with at least 2 connections, or `PGlite`. It stays the caller's.
   * If the pool has no `connectionTimeoutMillis`, the inbox sets 4 s.
   */
  readonly client: Client;
  /** The schema of the inbox's tables; default: `txfeed`. */
  readonly schema?: string;
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /**
   * How many transactions with handlers run at a time. Default: all connections of the pool except
   * three, which receipts, leases and operators keep. With fewer than seven they share two, and
   * with fewer than four one.
   */
  readonly maxTransactions?: number;
}

const OPTIONS = Object.keys({
  client: 0,
  schema: 0,
  keepMs: 0,
  maxTransactions: 0,
} satisfies Record<keyof PostgresInboxOptions, 0>);

/** An inbox on PostgreSQL. */
export interface PostgresInbox<Tx> extends Inbox<Tx> {
  /**
   * Creates the tables. The first call of another method does it, unless they exist.
   *
   * @throws {TxfeedError} `usage` if the tables are of a later version, or the database has another
   * encoding than UTF-8; `unreachable` if the database can't be used.
   */
  migrate(): Promise<void>;
  /**
   * Resolves when running statements have ended. The client stays open, and a pool gets back the
   * connections that the inbox kept: close the inbox before it.
   */
  close(): Promise<void>;
}

/**
 * An inbox in PostgreSQL 15 or later, for any number of processes and machines.
 *
 * @throws {TxfeedError} `usage` if an option is unknown or invalid, or the pool is too small.
 * Methods reject with `unreachable` if the database can't be used.
 * @example
 * const inbox = postgresInbox({ client: new pg.Pool({ connectionString }) });
 */
export function postgresInbox<Client extends PostgresClient>(
  options: PostgresInboxOptions<Client>,
): PostgresInbox<TransactionOf<Client>> {
  const { store, keepMs } = openStore(options);
  const inbox = new SqlInbox(store, keepMs);
  const close = inbox.close.bind(inbox);
  return Object.assign(inbox, { migrate: () => store.prepare(), close: async () => close() });
}

/**
 * Like `postgresInbox`, but creates no tables.
 *
 * @returns the inbox; undefined if its tables are missing.
 */
export async function existingPostgresInbox<Client extends PostgresClient>(
  options: PostgresInboxOptions<Client>,
): Promise<PostgresInbox<TransactionOf<Client>> | undefined> {
  const { store } = openStore(options);
  const exists = await store.exists().finally(() => store.close());
  return exists ? postgresInbox(options) : undefined;
}

function openStore<Client extends PostgresClient>(options: PostgresInboxOptions<Client>) {
  assertKnownOptions("postgresInbox", options, OPTIONS);
  const { client, schema = "txfeed", keepMs = DEFAULT_KEEP_MS } = options;
  assertInteger("postgresInbox: keepMs", keepMs, 1, MAX_KEEP_MS);
  // A dollar sign would end the bodies of the functions.
  if (!/^[^\0$]+$/.test(schema) || new TextEncoder().encode(schema).length > 63) {
    throw invalidOption("postgresInbox: schema", "a name of at most 63 bytes without $", schema);
  }
  const database = databaseOf(client);
  const isPool = database.max > 1 || "totalCount" in client;
  const reserved = reservedOf(database.max);
  const { maxTransactions = database.max - reserved } = options;
  assertInteger("postgresInbox: maxTransactions", maxTransactions);
  let needed = maxTransactions + 1;
  while (needed - reservedOf(needed) < maxTransactions) needed += 1;
  if (isPool && database.max < needed) {
    const expected = `a pool with at least ${needed} connections (max: ${needed})`;
    throw invalidOption("postgresInbox: client", expected, `max: ${database.max}`);
  }
  return {
    store: new PostgresStore(database, `"${schema.replaceAll('"', '""')}"`, maxTransactions),
    keepMs,
  };
}
