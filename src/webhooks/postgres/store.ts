import { UnreachableError, UsageError } from "../../errors.ts";
import type { RunPart } from "../inbox.ts";
import { leaseLost, type Procedure, type Row, type Settle, type Store, WAIT_MS } from "../store.ts";
import {
  type Connection,
  codeOf,
  type Database,
  describe,
  handlerError,
  isBroken,
  LOCKED,
  within,
} from "./client.ts";
import { definitions } from "./procedures.ts";
import { connect, end, Session } from "./session.ts";

/** The version of the tables and procedures. */
const VERSION = 1;

/** How long statements of an operator last at most. */
const OPERATION_MS = 60_000;
/** How long the answer to a statement that has ended takes at most. */
const ANSWER_MS = 1000;
/** How long the answers to `take` and `renew` may take with a short lease. */
const MIN_TAKE_MS = 1000;
const MIN_RENEW_MS = 200;
const SWEEP_EVERY_MS = 60_000;
const SWEEP_SIZE = 1000;

const SAVEPOINT = "SAVEPOINT txfeed_part";

/** What a session is used for. With enough connections, each purpose has one of its own. */
const SESSIONS = ["receipt", "lease", "operation"] as const;
type Purpose = (typeof SESSIONS)[number];

const PURPOSES: Readonly<Record<Exclude<Procedure, "renew">, Purpose>> = {
  receive: "receipt",
  probe: "receipt",
  claim: "receipt",
  take: "lease",
  settle: "lease",
  replay: "operation",
  discard: "operation",
};

/** A transaction with handlers. */
interface Running {
  readonly connection: Connection<unknown>;
  /** The process of the server. */
  readonly backend: string;
  /**
   * When a renewal last sent a ping, or found the server idle for longer than ANSWER_MS while a
   * statement had no answer; by `performance.now()`.
   */
  waitedAt?: number;
}

/** How many connections of a pool are kept for other purposes than transactions with handlers. */
export const reservedOf = (max: number) => (max === 1 ? 0 : max < 4 ? 1 : max < 7 ? 2 : 3);

/** The tables and procedures of an inbox in a schema. */
export class PostgresStore<Tx> implements Store<Tx> {
  readonly #database: Database<Tx>;
  /** The quoted name. */
  readonly #schema: string;
  readonly maxTransactions: number;
  readonly prefix: string;
  /** The advisory lock that the transactions of this inbox hold, so that others can end them. */
  readonly #holder = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  readonly #running = new Set<Running>();
  readonly #sessions: readonly Session[];
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #ready: Promise<void> | undefined;
  #isClosed = false;
  #sweeping: Promise<void> | undefined;
  #sweepAt = 0;

  constructor(database: Database<Tx>, schema: string, maxTransactions: number) {
    this.#database = database;
    this.#schema = schema;
    this.prefix = `${schema}.`;
    this.maxTransactions = maxTransactions;
    this.#free = maxTransactions;
    const count = Math.max(1, reservedOf(database.max));
    this.#sessions = Array.from({ length: count }, () => new Session(database));
  }

  now = () => "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

  /**
   * Quotes a text by a delimiter that its sender can't guess. The server reads it in half the time
   * of a text with escapes, and regardless of `standard_conforming_strings`.
   */
  quote = (text: string) => {
    const delimiter = `$q${crypto.getRandomValues(new BigUint64Array(1))[0]}$`;
    return ` ${delimiter}${text}${delimiter}`;
  };

  async call(procedure: Procedure, ...parameters: readonly unknown[]): Promise<readonly Row[]> {
    await this.prepare();
    const isTaking = procedure === "take" || procedure === "claim";
    const isOfHolder = isTaking || procedure === "renew";
    const all = isOfHolder ? [...parameters, this.#lock] : parameters;
    const statement = `SELECT * FROM ${this.#schema}.${procedure}(${all.map(this.#value).join()})`;
    if (isTaking) this.#sweep();
    if (procedure === "renew") return this.#renew(statement, Number(parameters[1]));
    const purpose = PURPOSES[procedure];
    if (purpose === "operation") return this.#operate(statement);
    try {
      // A renewal waits for a `take` without an answer, so it must not wait for long.
      const waitMs =
        procedure === "take" ? Math.max(MIN_TAKE_MS, Number(parameters[2]) / 3) : WAIT_MS;
      return await this.#session(purpose).run(statement, Math.min(WAIT_MS, waitMs));
    } catch (error) {
      throw lostOr(error);
    }
  }

  async select(statement: string, isLong = false): Promise<readonly Row[]> {
    await this.prepare();
    return isLong ? this.#operate(statement) : this.#session("operation").run(statement);
  }

  async transaction(
    leaseMs: number,
    work: (runPart: RunPart<Tx>) => Promise<Settle>,
  ): Promise<void> {
    await this.prepare();
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await this.#transact(leaseMs, work);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  repairOf(error: unknown): "repeat" | "split" | "none" {
    const code = codeOf(Object(error).cause ?? error);
    if (code === "40001" || code === "40P01") return "repeat";
    // Only the deliveries of a lane that another transaction has locked are refused.
    return code !== LOCKED && isBroken(error) ? "none" : "split";
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await within(WAIT_MS, Promise.resolve(this.#sweeping)).catch(() => undefined);
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  /**
   * Creates the tables and procedures, unless they exist. Of concurrent calls in any process, one
   * does it and the others wait.
   *
   * @throws {TxfeedError} `usage` if they are those of a later version, or the database does not
   * store UTF-8.
   */
  async prepare(): Promise<void> {
    if (this.#isClosed) throw new UsageError("the inbox is closed");
    this.#ready ??= this.#migrate().catch((error: unknown) => {
      // The next call repeats it.
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /**
   * Returns whether the tables exist.
   *
   * @throws {TxfeedError} `usage` if they are those of a later version.
   */
  async exists(): Promise<boolean> {
    const schema = this.#schema;
    const session = this.#session("operation");
    const [found] = await session.run(`SELECT current_setting('server_encoding') AS coding,
      to_regclass(${this.quote(`${schema}.inbox`)})::text AS name`);
    if (found?.["coding"] !== "UTF8") {
      const coding = `the database has the encoding ${found?.["coding"]}`;
      throw new UsageError(`postgresInbox: ${coding}, but bodies are UTF-8; create one with UTF8`);
    }
    if (found["name"] === null) return false;
    const [row] = await session.run(`SELECT version::text AS version FROM ${schema}.inbox`);
    const version = Number(row?.["version"]);
    if (version === VERSION) return true;
    const advice = "install the txfeed that created it, or a later one";
    throw new UsageError(
      `postgresInbox: the schema ${schema} has version ${version}, not ${VERSION}; ${advice}`,
    );
  }

  async #migrate(): Promise<void> {
    if (await this.exists()) return;
    const schema = this.#schema;
    const name = this.quote(schema);
    // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
    await this.#session("operation").run(
      `SELECT pg_advisory_xact_lock(hashtextextended(${this.quote(`txfeed ${schema}`)}, 0))::text;
      DO $migrate$ BEGIN
        IF to_regnamespace(${name}) IS NULL THEN CREATE SCHEMA ${schema}; END IF;
        IF to_regclass(${this.quote(`${schema}.inbox`)}) IS NULL THEN
          CREATE TABLE ${schema}.inbox (version integer NOT NULL);
          INSERT INTO ${schema}.inbox VALUES (${VERSION});
          ${definitions(schema).join(";\n")};
        END IF;
      END $migrate$`,
      OPERATION_MS,
    );
    await this.exists();
  }

  async #transact(leaseMs: number, work: (runPart: RunPart<Tx>) => Promise<Settle>): Promise<void> {
    // The server ends the transaction if this process stops, and what waits for a lock gives up.
    const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL idle_in_transaction_session_timeout = ${leaseMs};
      SET LOCAL lock_timeout = ${Math.ceil(leaseMs / 4)};
      SELECT pg_backend_pid()::text AS backend,
        pg_advisory_xact_lock_shared(${this.#lock})::text AS locked;
      ${SAVEPOINT}`;
    const { connection, rows } = await connect(this.#database, WAIT_MS, begin);
    const running: Running = { connection, backend: String(rows[0]?.["backend"]) };
    this.#running.add(running);
    const parts = new Set<Promise<unknown>>();
    const runPart: RunPart<Tx> = (run) => {
      const part = runInSavepoint(connection, run);
      parts.add(part);
      const remove = () => parts.delete(part);
      part.then(remove, remove);
      return part;
    };
    let failure: { readonly error: unknown } | undefined;
    try {
      const settle = await work(runPart).catch((error: unknown) => {
        failure = { error };
        throw error;
      });
      const values = settle.map(this.#value).join();
      await connection.run(`SELECT ${this.#schema}.settle(${values}); COMMIT`);
      this.#running.delete(running);
      connection.release();
    } catch (error) {
      this.#running.delete(running);
      // A handler that was given up may still run, and use the connection.
      const isLost = failure ? failure.error instanceof UnreachableError : isBroken(error);
      if (parts.size > 0 || isLost) this.#destroy(running);
      else await end(connection);
      throw failure ? failure.error : describe(lostOr(error));
    }
  }

  /**
   * Runs `renew`, keeps the running transactions from being idle, and ends those whose connection
   * is dead: a statement gets no answer although the server has ended the transaction, or is idle
   * since before an earlier renewal.
   */
  async #renew(statement: string, leaseMs: number): Promise<readonly Row[]> {
    const before = [...this.#running];
    const held = `SELECT pid::text AS backend, CASE WHEN state LIKE 'idle%' THEN
        (extract(epoch FROM clock_timestamp() - state_change) * 1000)::text END AS idle
      FROM pg_stat_activity WHERE pid IN (
        SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
          AND (classid::bigint << 32) + objid::bigint = ${this.#lock}
      )`;
    const isWatching = this.#database.max > 1 && before.length > 0;
    const rows = await this.#session("lease").run(
      isWatching ? `${statement}; ${held}` : statement,
      Math.max(MIN_RENEW_MS, leaseMs / 3),
    );
    const backends = new Map(rows.map(({ backend, idle }) => [backend, Number(idle ?? 0)]));
    for (const running of isWatching ? before : []) {
      const { connection, waitedAt } = running;
      const idleMs = backends.get(running.backend);
      const isOver = () => !this.#running.has(running);
      const now = performance.now();
      if (isOver()) continue;
      if (!connection.isBusy()) {
        // It fails after a failed statement of the handler, which is an answer too.
        connection.run("SELECT").catch(() => undefined);
        running.waitedAt = now;
      } else if (idleMs === undefined) {
        // The answer to a commit may be on its way.
        setTimeout(() => isOver() || this.#destroy(running), ANSWER_MS);
      } else if (waitedAt !== undefined && idleMs > now - waitedAt) {
        this.#destroy(running);
      } else if (idleMs > ANSWER_MS) {
        running.waitedAt = now;
      }
    }
    return rows.filter(({ lane }) => lane !== undefined);
  }

  /** Closes the connection of a transaction, and ends what its server process still does. */
  #destroy({ connection, backend }: Running): void {
    connection.destroy();
    if (this.#database.max === 1 || this.#isClosed) return;
    const statement = `SELECT ${this.#schema}.end_transactions(ARRAY[${this.#lock}], ${backend})`;
    this.#session("lease")
      .run(statement)
      .catch(() => undefined);
  }

  /** Deletes expired rows in the background, unless it was done shortly before. */
  #sweep(): void {
    if (this.#sweeping || performance.now() < this.#sweepAt) return;
    this.#sweepAt = performance.now() + SWEEP_EVERY_MS;
    const run = async () => {
      for (let total = SWEEP_SIZE; total === SWEEP_SIZE && !this.#isClosed; ) {
        const statement = `SELECT total::text AS total FROM ${this.#schema}.sweep(${SWEEP_SIZE})`;
        const [row] = await this.#session("operation").run(statement);
        total = Number(row?.["total"]);
      }
    };
    // A failure is that of every other statement, and the next start repeats it.
    this.#sweeping = run()
      .catch(() => undefined)
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  /** Runs a statement of an operator, for which receipts may have to wait. */
  #operate(statement: string): Promise<readonly Row[]> {
    const isShared = this.#sessions.length < SESSIONS.length;
    return this.#session("operation").run(statement, isShared ? WAIT_MS : OPERATION_MS);
  }

  #session(purpose: Purpose): Session {
    return this.#sessions[SESSIONS.indexOf(purpose) % this.#sessions.length] as Session;
  }

  get #lock(): string {
    return String(this.#holder >> 2n);
  }

  #value = (value: unknown): string => {
    if (value === null) return "NULL";
    return this.quote(typeof value === "object" ? JSON.stringify(value) : String(value));
  };
}

/** The error of the procedure `settle`. */
const lostOr = (error: unknown) => (codeOf(error) === "TXF01" ? leaseLost() : error);

async function runInSavepoint<Tx, T>(
  connection: Connection<Tx>,
  run: (tx: Tx) => T | Promise<T>,
): Promise<T> {
  try {
    const value = await run(connection.tx);
    // One message ends the part and begins the next one. It fails if the handler ignored the
    // failure of a statement.
    await connection.run(`RELEASE ${SAVEPOINT}; ${SAVEPOINT}`);
    return value;
  } catch (error) {
    try {
      await connection.run(`ROLLBACK TO ${SAVEPOINT}`);
    } catch (failure) {
      throw describe(failure);
    }
    throw handlerError(error);
  }
}
