import { assertKnownOptions, invalidOption } from "../../options.ts";
import { assertInteger } from "../assert-integer.ts";
import type { Inbox } from "../inbox.ts";
import { DEFAULT_KEEP_MS } from "../memory-inbox.ts";
import { databaseOf, type PostgresClient, type TransactionOf } from "./clients.ts";
import { PostgresStore } from "./store.ts";

/** The connections that transactions leave to receipts, to leases and to operators. */
const RESERVED_CONNECTIONS = 2;
const DEFAULT_MAX_TRANSACTIONS = 8;

/** The options of an inbox on PostgreSQL. */
export interface PostgresInboxOptions<Client extends PostgresClient = PostgresClient> {
  /** `pg.Pool`, `postgres()`, `Kysely`, a Drizzle database or `PGlite`. It stays the caller's. */
  readonly client: Client;
  /** The schema of the inbox's tables; default: `txfeed`. */
  readonly schema?: string;
  /** How long a handled delivery is remembered, in milliseconds. Default: seven days. */
  readonly keepMs?: number;
  /**
   * How many transactions with handlers run at a time. The other connections serve receipts, so
   * that handlers can't delay them. Default: two less than the pool has, 8 with Kysely.
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
   * Creates the tables, or migrates those of an earlier version without losing rows. The first call
   * of another method does it, unless they are up to date.
   *
   * @throws {TxfeedError} `usage` if the tables are of a later version; `unreachable` if the
   * database can't be reached.
   */
  migrate(): Promise<void>;
  /** Resolves when running receipts have ended. The client stays open. */
  close(): Promise<void>;
}

/**
 * An inbox in PostgreSQL 15 or later, for any number of processes and machines.
 *
 * @throws {TxfeedError} `usage` if an option is unknown or invalid. Methods reject with
 * `unreachable` if the connection fails.
 * @example
 * const inbox = postgresInbox({ client: new pg.Pool({ connectionString }) });
 */
export function postgresInbox<Client extends PostgresClient>(
  options: PostgresInboxOptions<Client>,
): PostgresInbox<TransactionOf<Client>> {
  assertKnownOptions("postgresInbox", options, OPTIONS);
  const { client, schema = "txfeed", keepMs = DEFAULT_KEEP_MS } = options;
  assertInteger("postgresInbox: keepMs", keepMs);
  // A dollar sign would end the bodies of the functions.
  if (!/^[^\0$]+$/.test(schema) || new TextEncoder().encode(schema).length > 63) {
    throw invalidOption("postgresInbox: schema", "a name of at most 63 bytes without $", schema);
  }
  const database = databaseOf(client);
  const {
    maxTransactions = database.maxConnections === undefined
      ? DEFAULT_MAX_TRANSACTIONS
      : Math.max(1, database.maxConnections - RESERVED_CONNECTIONS),
  } = options;
  assertInteger("postgresInbox: maxTransactions", maxTransactions);
  return new PostgresStore(database, `"${schema.replaceAll('"', '""')}"`, keepMs, maxTransactions);
}
