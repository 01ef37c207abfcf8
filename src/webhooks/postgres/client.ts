import { RetryLaterError, TxfeedError, UnreachableError } from "../../errors.ts";
import { invalidOption } from "../../options.ts";
import { inTime } from "../attempt.ts";
import { type Row, WAIT_MS } from "../store.ts";

// The parts of each driver's types that the inbox uses. They are structural, because the package
// depends on no driver. `any` stands for types that differ from version to version.
// biome-ignore-start lint/suspicious/noExplicitAny: see above

/** `Pool` of the package `pg`. */
interface PgPool {
  readonly options: {
    readonly max?: number | undefined;
    connectionTimeoutMillis?: number | undefined;
  };
  readonly totalCount: number;
  connect(): Promise<any>;
  on(event: any, listener: any): unknown;
}

/** `PGlite`. */
interface PGliteClient {
  exec(text: string): Promise<any>;
  transaction(work: (tx: any) => Promise<any>): Promise<any>;
}

/** A client of PostgreSQL: a `Pool` of the package `pg`, or `PGlite`. */
export type PostgresClient = PgPool | PGliteClient;

/** The type of a transaction of a client: pg's `PoolClient`, or PGlite's `Transaction`. */
export type TransactionOf<Client> = Client extends {
  transaction: (work: (tx: infer Tx) => never) => unknown;
}
  ? Tx
  : Client extends { connect: { (): Promise<infer Tx>; (callback: never): void } }
    ? Tx
    : never;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** A connection that is in use. */
export interface Connection<Tx> {
  /** What handlers get. */
  readonly tx: Tx;
  /** Runs statements as one message of the simple protocol. Resolves to all their rows. */
  run(statements: string): Promise<readonly Row[]>;
  /** Whether a statement, such as one of a handler, has no answer yet. */
  isBusy(): boolean;
  /** Whether the server has closed it. */
  isCut(): boolean;
  /** Ends the use. The connection must not be in a transaction. */
  release(): void;
  /** Closes the connection, unless it is closed: nothing of its transaction takes effect. */
  destroy(): void;
}

/** What the inbox needs of a driver. */
export interface Database<Tx> {
  connect(): Promise<Connection<Tx>>;
  /**
   * Called when a connection gave no answer to a message of this time, by `performance.now()`:
   * others that have not answered since may be dead too.
   */
  distrust(sentAt: number): void;
  /** The most connections; 1 if all calls wait while one is in use, as for PGlite. */
  readonly max: number;
}

/**
 * Adapts a client to the functions that the inbox needs.
 *
 * @throws {TxfeedError} `usage` if the client is of another kind.
 */
export function databaseOf<Client extends PostgresClient>(
  client: Client,
): Database<TransactionOf<Client>> {
  if (isPGlite(client)) return fromPGlite(client);
  if (isPool(client)) return fromPool(client);
  throw invalidOption("postgresInbox: client", `a Pool of pg, or PGlite; ${adviceOn(client)}`, {
    toString: () => Object(client).constructor?.name ?? String(client),
  });
}

const isPGlite = (client: unknown): client is PGliteClient =>
  Object(client).exec !== undefined && Object(client).transaction !== undefined;

const isPool = (client: unknown): client is PgPool =>
  Object(client).connect !== undefined && Object(client).totalCount !== undefined;

/** What to pass instead of another client. */
function adviceOn(client: unknown): string {
  const known: Record<string, unknown> = Object(client);
  if (known["$client"]) {
    return isPGlite(known["$client"]) || isPool(known["$client"])
      ? "pass the $client of this Drizzle database"
      : adviceOn(known["$client"]);
  }
  if (known["withoutPlugins"]) return "pass the Pool that the dialect of Kysely was created with";
  if (known["begin"]) return "the package postgres ends the process when a connection is cut";
  if (known["query"]) return "this is one connection, and receipts need one of their own";
  return 'create one by new pg.Pool({ connectionString: "postgres://…" })';
}

interface PgClient {
  readonly readyForQuery?: boolean;
  query(text: string): Promise<Result | readonly Result[]>;
  on(event: "error", listener: () => void): void;
  release(isBroken?: boolean): void;
}

interface Result {
  readonly rows: readonly Row[];
}

interface State {
  isCut: boolean;
  /** When it last gave an answer, by `performance.now()`. */
  answeredAt: number;
}

/** The states of connections. Without a listener of errors, a cut one ends the process. */
const states = new WeakMap<PgClient, State>();

function stateOf(client: PgClient): State {
  const known = states.get(client);
  if (known) return known;
  const state = { isCut: false, answeredAt: performance.now() };
  states.set(client, state);
  client.on("error", () => {
    state.isCut = true;
  });
  return state;
}

const ignore = () => undefined;

/** The pools with listeners. They keep them, because connections can fail while a pool ends. */
const watched = new WeakSet<PgPool>();

function fromPool(pool: PgPool): Database<never> {
  const { max = 10 } = pool.options;
  // Without a limit, a connection that gets no answer has its place in the pool for ever.
  pool.options.connectionTimeoutMillis ||= WAIT_MS;
  if (!watched.has(pool)) {
    watched.add(pool);
    pool.on("error", ignore);
    // At once: the first error may come with the message that ends the connecting.
    pool.on("acquire", stateOf);
  }
  let distrustedAt = Number.NEGATIVE_INFINITY;
  return {
    max,
    distrust(sentAt) {
      distrustedAt = Math.max(distrustedAt, sentAt);
    },
    async connect() {
      const client: PgClient = await pool.connect();
      const state = stateOf(client);
      if (state.answeredAt < distrustedAt) {
        client.release(true);
        return this.connect();
      }
      let isReleased = false;
      const release = (isBroken: boolean) => {
        // The pool throws at the second time.
        if (!isReleased) client.release(isBroken);
        isReleased = true;
      };
      return {
        tx: client as never,
        async run(statements) {
          const results = [await client.query(statements)].flat();
          state.answeredAt = performance.now();
          return results.flatMap(({ rows }) => rows);
        },
        isBusy: () => client.readyForQuery === false,
        isCut: () => state.isCut,
        release: () => release(false),
        destroy: () => release(true),
      };
    },
  };
}

function fromPGlite(pglite: PGliteClient): Database<never> {
  const connect = () =>
    new Promise<Connection<never>>((resolve, reject) => {
      // Other calls wait until the transaction of PGlite ends. The inbox begins and ends its own in
      // it, and PGlite's COMMIT finds none.
      const using = pglite.transaction(async (tx) => {
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const run = async (statements: string) =>
          ((await tx.exec(statements)) as Result[]).flatMap(({ rows }) => rows);
        // Later statements of a handler fail: without a transaction they would take effect.
        const end = () => release();
        const destroy = () => void run("ROLLBACK; BEGIN; SELECT 1 / 0").then(end, end);
        const never = () => false;
        resolve({ tx: tx as never, run, isBusy: never, isCut: never, release, destroy });
        await released;
      });
      using.catch(reject);
    });
  return { max: 1, connect, distrust: ignore };
}

// Codes and classes of PostgreSQL: read-only, connection exceptions, invalid authorization, unknown
// database, insufficient resources (such as a full disk), idle in a transaction, shutdown, crash
// and start. Then those of Node.js.
const UNUSABLE = /^(25006|08...|28...|3D...|53...|25P03|57P0[1-5])$/;
const NETWORK = /^(ECONN|EPIPE|ENOTFOUND|ENOENT|EAI_|ETIMEDOUT|EHOST)/;
/** lock_not_available. */
export const LOCKED = "55P03";
/** Then deadlock_detected and serialization_failure. */
const BLOCKED = [LOCKED, "40P01", "40001"];

/** The code of PostgreSQL or Node.js. */
export function codeOf(error: unknown): string {
  const { code } = Object(error);
  return typeof code === "string" ? code : "";
}

/**
 * The error of a handler's statement, which says whether the handler is to blame. Codes of Node.js
 * may be those of another service.
 */
export function handlerError(error: unknown): unknown {
  const code = codeOf(error);
  if (UNUSABLE.test(code)) return describe(error);
  if (!BLOCKED.includes(code)) return error;
  const message = `blocked by another transaction: ${reasonOf(error)}`;
  return new RetryLaterError(message, { at: new Date(), cause: error });
}

/** The error of an own statement. Those of a connection become `unreachable`, in one line. */
export function describe(error: unknown): unknown {
  if (error instanceof TxfeedError) return error;
  const code = codeOf(error);
  // The errors of pg's connections have no code.
  const isUnusable = code === "" || UNUSABLE.test(code) || NETWORK.test(code) || code === LOCKED;
  if (!isUnusable) return error;
  return new UnreachableError(`the database of the inbox can't be used: ${reasonOf(error)}`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  // Node.js tries all addresses of a host name and reports all failures.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const message = first instanceof Error ? first.message : String(first);
  return message.split("\n", 1)[0] ?? "";
}

/** Whether a connection can't be used again. */
export const isBroken = (error: unknown) =>
  codeOf(error) !== LOCKED && describe(error) instanceof UnreachableError;

/**
 * Waits for a promise.
 *
 * @throws {TxfeedError} `unreachable` after `waitMs`.
 */
export const within = <T>(waitMs: number, promise: Promise<T>): Promise<T> =>
  inTime(
    waitMs,
    promise,
    () => new UnreachableError(`the database did not answer within ${waitMs} ms`),
  );
