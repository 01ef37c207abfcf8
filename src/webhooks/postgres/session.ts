import { hasCode, UnreachableError, UsageError } from "../../errors.ts";
import { MAX_TIMER_MS } from "../../options.ts";
import { type Row, WAIT_MS } from "../store.ts";
import { type Connection, type Database, describe, isBroken, within } from "./client.ts";

/** One connection of its own, which runs one statement at a time. */
export class Session {
  readonly #database: Database<unknown>;
  #connection: Connection<unknown> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(database: Database<unknown>) {
    this.#database = database;
  }

  /**
   * Runs statements in a transaction, as one message. The isolation level is that for which they
   * were proved, whatever the default of the database is.
   *
   * @throws {TxfeedError} `unreachable` if the connection fails, or after `waitMs`, including the
   * wait for the statements before.
   */
  run(statements: string, waitMs = WAIT_MS): Promise<readonly Row[]> {
    const endsAt = endOf(this.#database, waitMs);
    const result = this.#last.then(() => this.#run(statements, endsAt));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Waits for running statements, but no longer than `WAIT_MS`. */
  async close(): Promise<void> {
    const isIdle = await within(WAIT_MS, this.#last).then(
      () => true,
      () => false,
    );
    this.#isClosed = true;
    if (isIdle) this.#connection?.release();
    else this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #run(statements: string, endsAt: number): Promise<readonly Row[]> {
    const leftMs = () => leftUntil(endsAt);
    if (this.#isClosed) throw new UsageError("the inbox is closed");
    // Those before it have used up the time.
    if (leftMs() <= 0) throw new UnreachableError("the database of the inbox does not answer");
    if (this.#connection?.isCut()) {
      this.#connection.destroy();
      this.#connection = undefined;
    }
    this.#connection ??= (await connect(this.#database, leftMs())).connection;
    const connection = this.#connection;
    if (this.#isClosed) {
      this.#release();
      throw new UsageError("the inbox is closed");
    }
    try {
      const message = `BEGIN ISOLATION LEVEL READ COMMITTED; ${statements}; COMMIT`;
      const rows = await ask(this.#database, connection, message, Math.max(1, leftMs()));
      if (this.#database.max === 1) this.#release();
      return rows;
    } catch (error) {
      this.#connection = undefined;
      if (isBroken(error)) connection.destroy();
      else await end(connection);
      throw describe(error);
    }
  }

  #release(): void {
    this.#connection?.release();
    this.#connection = undefined;
  }
}

/** When a wait ends; never for PGlite, which runs in this process, one call after another. */
const endOf = ({ max }: Database<unknown>, waitMs: number) =>
  max === 1 ? Number.POSITIVE_INFINITY : performance.now() + waitMs;

/** The rest of a wait, as the delay of a timer. */
const leftUntil = (endsAt: number) =>
  Math.min(MAX_TIMER_MS, Math.round(endsAt - performance.now()));

/** How many connections are tried. */
const TRIES = 3;
/** How long the first message on a connection takes at most. */
const FIRST_MS = 1000;

/**
 * Takes a connection and runs a first message. A pool may have connections whose other side no
 * longer answers: those are closed, and another one is tried.
 *
 * @throws {TxfeedError} `unreachable` if there is none within `waitMs`, or none answers.
 */
export async function connect<Tx>(
  database: Database<Tx>,
  waitMs: number,
  first = "SELECT",
): Promise<{ readonly connection: Connection<Tx>; readonly rows: readonly Row[] }> {
  const endsAt = endOf(database, waitMs);
  const firstMs =
    database.max === 1 ? MAX_TIMER_MS : Math.round(Math.min(FIRST_MS, waitMs / TRIES));
  for (let tried = 1; ; tried += 1) {
    const leftMs = Math.max(1, leftUntil(endsAt));
    const connecting = database.connect();
    const connection = await within(leftMs, connecting).catch((error: unknown) => {
      connecting.then(
        (late) => late.release(),
        () => undefined,
      );
      throw describe(error);
    });
    try {
      return { connection, rows: await ask(database, connection, first, firstMs) };
    } catch (error) {
      connection.destroy();
      if (tried === TRIES || !isBroken(error)) throw describe(error);
    }
  }
}

/**
 * Runs statements. A connection without an answer makes the database distrust others.
 *
 * @throws {TxfeedError} `unreachable` after `waitMs`; otherwise the error of the driver.
 */
async function ask(
  database: Database<unknown>,
  connection: Connection<unknown>,
  statements: string,
  waitMs: number,
): Promise<readonly Row[]> {
  const sentAt = performance.now();
  try {
    return await within(waitMs, connection.run(statements));
  } catch (error) {
    if (hasCode(error, "unreachable")) database.distrust(sentAt);
    throw error;
  }
}

/** Rolls a transaction back and releases its connection; if that fails, closes it. */
export async function end(connection: Connection<unknown>): Promise<void> {
  try {
    await within(WAIT_MS, connection.run("ROLLBACK"));
    connection.release();
  } catch {
    connection.destroy();
  }
}
