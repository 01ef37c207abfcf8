import { invalidOption } from "../../options.ts";
import type { RunPart } from "../inbox.ts";
import { type Connection, type Database, type Row, SAVEPOINT, savepoints } from "./database.ts";

// The parts of each driver's types that the inbox uses. They are structural, because the package
// depends on no driver. `any` stands for types that differ from version to version.
// biome-ignore-start lint/suspicious/noExplicitAny: see above

/** `Pool` of the package `pg`. */
interface PgPool {
  readonly options: { readonly max?: number };
  readonly totalCount: number;
  connect(): Promise<any>;
  on(event: any, listener: any): unknown;
}

/** The function that the package `postgres` creates. */
interface PostgresJs {
  readonly options: { readonly max?: number };
  begin(options: string, work: (sql: any) => any): Promise<any>;
  unsafe(text: string, values?: any[], options?: any): PromiseLike<any>;
}

/** `Kysely`, with any dialect of PostgreSQL. */
interface KyselyClient {
  withoutPlugins(): any;
  executeQuery(query: any): Promise<any>;
  transaction(): { setIsolationLevel(level: any): { execute(work: any): Promise<any> } };
}

/** A database of Drizzle on `pg`, `postgres` or PGlite. */
interface DrizzleClient {
  readonly $client: any;
  execute(query: any): PromiseLike<any>;
  transaction(work: (tx: any) => Promise<any>, config?: any): Promise<any>;
}

/** `PGlite`. */
interface PGliteClient {
  exec(text: string): Promise<any>;
  query(text: string, values?: any[]): Promise<any>;
  transaction(work: (tx: any) => Promise<any>): Promise<any>;
}

/** A client of PostgreSQL: `pg.Pool`, `postgres()`, `Kysely`, a Drizzle database or `PGlite`. */
export type PostgresClient = PgPool | PostgresJs | KyselyClient | DrizzleClient | PGliteClient;

/**
 * The type of a transaction of a client: `PoolClient`, `TransactionSql`, Kysely's `Transaction`,
 * Drizzle's `PgTransaction`, PGlite's `Transaction`.
 */
export type TransactionOf<Client> = Client extends {
  begin(options: string, work: (sql: infer Tx) => never): unknown;
}
  ? Tx
  : Client extends { transaction(): { execute(work: infer Work): unknown } }
    ? FirstParameter<Work>
    : Client extends { transaction: (work: infer Work, ...others: never) => unknown }
      ? FirstParameter<Work>
      : Client extends { connect: { (): Promise<infer Tx>; (callback: never): void } }
        ? Tx
        : never;

type FirstParameter<Work> = Work extends (tx: infer Tx) => unknown ? Tx : never;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/**
 * Adapts a client to the functions that the inbox needs.
 *
 * @throws {TxfeedError} `usage` if the client is of another kind.
 */
export function databaseOf<Client extends PostgresClient>(
  client: Client,
): Database<TransactionOf<Client>> {
  const known: Partial<PgPool & PostgresJs & KyselyClient & DrizzleClient & PGliteClient> =
    Object(client);
  if (known.begin && known.unsafe) return fromPostgresJs(client as PostgresJs);
  if (known.withoutPlugins && known.executeQuery) return fromKysely(client as KyselyClient);
  if (known.execute && known.transaction) return fromDrizzle(client as DrizzleClient);
  if (known.exec && known.transaction) return fromPGlite(client as PGliteClient);
  if (known.connect && known.totalCount !== undefined) return fromPg(client as PgPool);
  const expected = "a Pool of pg, postgres(), Kysely, a Drizzle database or PGlite";
  throw invalidOption("postgresInbox: client", expected, client);
}

// The transaction types are those of `TransactionOf`, which TypeScript can't check here.
type AnyDatabase = Database<never>;

interface Results {
  readonly rows: readonly Row[];
}

interface PgClient {
  query(text: string, values?: readonly unknown[]): Promise<Results & { readonly command: string }>;
  on(event: "error", listener: () => void): void;
  off(event: "error", listener: () => void): void;
  release(isBroken?: boolean): void;
}

function fromPg(pool: PgPool): AnyDatabase {
  const { query } = pool as unknown as PgClient;
  const detach = surviveErrors(pool);
  return {
    maxConnections: pool.options.max,
    detach,
    query: async (text, values) => (await query.call(pool, text, values)).rows,
    async transaction(work) {
      const client: PgClient = await pool.connect();
      let isDestroyed = false;
      try {
        await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${SAVEPOINT}`);
        const connection: Connection = {
          query: async (text, values) => (await client.query(text, values)).rows,
          destroy() {
            isDestroyed = true;
            client.release(true);
          },
        };
        const runPart: RunPart<PgClient> = async (run) => {
          try {
            const value = await run(client);
            // One round trip ends the part and begins the next one. It fails if the handler
            // ignored the failure of a statement.
            await client.query(`RELEASE ${SAVEPOINT}; ${SAVEPOINT}`);
            return value;
          } catch (error) {
            await client.query(`ROLLBACK TO ${SAVEPOINT}`);
            throw error;
          }
        };
        const value = await work(connection, runPart as RunPart<never>, client as never);
        await client.query("COMMIT");
        client.release();
        return value;
      } catch (error) {
        if (isDestroyed) throw error;
        await client.query("ROLLBACK").then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    },
  };
}

/** The connections that have a listener of `surviveErrors`. */
const surviving = new WeakSet<PgClient>();

/**
 * Prevents that a connection that the server ends also ends the process: pools and clients emit
 * `error` then. Statements that run at that time fail in addition, which is not ignored.
 */
function surviveErrors(client: unknown): (() => void) | undefined {
  const pool = client as Partial<PgClient> | undefined;
  if (typeof pool?.on !== "function" || typeof pool.off !== "function") return undefined;
  const emitter = pool as {
    on(event: string, listener: (client: PgClient) => void): void;
    off(event: string, listener: (client: PgClient) => void): void;
  };
  const ignore = () => undefined;
  const acquired = (one: PgClient) => {
    if (!surviving.has(one)) one.on("error", ignore);
    surviving.add(one);
  };
  emitter.on("error", ignore);
  emitter.on("acquire", acquired);
  return () => {
    emitter.off("error", ignore);
    emitter.off("acquire", acquired);
  };
}

function fromPostgresJs(sql: PostgresJs): AnyDatabase {
  const queryOn = (one: PostgresJs): Connection["query"] => {
    // Statements are prepared only if the user's option `prepare` allows it.
    return (text, values) => Promise.resolve(one.unsafe(text, [...values], { prepare: true }));
  };
  return {
    maxConnections: sql.options.max,
    query: queryOn(sql),
    transaction: (work) =>
      sql.begin("isolation level read committed", (tx) =>
        work({ query: queryOn(tx) }, (run) => tx.savepoint(run), tx as never),
      ),
  };
}

function fromKysely(kysely: KyselyClient): AnyDatabase {
  const queryOn = (one: KyselyClient): Connection["query"] => {
    const plain: KyselyClient = one.withoutPlugins();
    return async (sql, parameters) => {
      const query = { kind: "RawNode", sqlFragments: [sql], parameters: [] };
      const queryId = { queryId: crypto.randomUUID() };
      return (await plain.executeQuery({ sql, parameters, query, queryId })).rows;
    };
  };
  return {
    maxConnections: undefined,
    query: queryOn(kysely),
    transaction: (work) =>
      kysely
        .transaction()
        .setIsolationLevel("read committed")
        .execute((tx: KyselyClient) => {
          const query = queryOn(tx);
          const runPart = savepoints(tx, (text) => query(text, []));
          return work({ query }, runPart as RunPart<never>, tx as never);
        }),
  };
}

function fromDrizzle(drizzle: DrizzleClient): AnyDatabase {
  const queryOn = (one: DrizzleClient): Connection["query"] => {
    return async (sql, params) => {
      // The part of Drizzle's class SQL that `execute` uses.
      const built = { toQuery: () => ({ sql, params: [...params] }) };
      const result: Results | readonly Row[] = await one.execute({ getSQL: () => built });
      return "rows" in result ? result.rows : result;
    };
  };
  const isolation = { isolationLevel: "read committed" };
  return {
    maxConnections: drizzle.$client?.options?.max,
    detach: surviveErrors(drizzle.$client),
    query: queryOn(drizzle),
    transaction: (work) =>
      drizzle.transaction(
        (tx) => work({ query: queryOn(tx) }, (run) => tx.transaction(run), tx as never),
        isolation,
      ),
  };
}

function fromPGlite(pglite: PGliteClient): AnyDatabase {
  const queryOn = (one: PGliteClient): Connection["query"] => {
    return async (text, values) => (await one.query(text, [...values])).rows;
  };
  return {
    maxConnections: 1,
    query: queryOn(pglite),
    transaction: (work) =>
      pglite.transaction((tx) =>
        work(
          { query: queryOn(tx) },
          savepoints(tx, (text) => tx.exec(text)) as RunPart<never>,
          tx as never,
        ),
      ),
  };
}
