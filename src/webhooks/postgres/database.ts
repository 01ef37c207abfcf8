import type { RunPart } from "../inbox.ts";

/** A row of a result; all columns are texts or null, because drivers convert other types. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs single statements. */
export interface Connection {
  /** @param values The values of `$1`, `$2` and so on, which the statement casts from text. */
  query(text: string, values: readonly (string | null)[]): Promise<readonly Row[]>;
  /** Closes the connection of a transaction, if the driver can: nothing takes effect any more. */
  destroy?(): void;
}

/** What the inbox needs of a driver. */
export interface Database<Tx> extends Connection {
  /** Runs work in a transaction of the isolation level READ COMMITTED. */
  transaction<T>(
    work: (connection: Connection, runPart: RunPart<Tx>, tx: Tx) => Promise<T>,
  ): Promise<T>;
  /** The most connections that it opens; undefined if it does not say. */
  readonly maxConnections: number | undefined;
  /** Ends what the inbox added to the driver's client. */
  readonly detach?: (() => void) | undefined;
}

export const SAVEPOINT = "SAVEPOINT txfeed_part";

/**
 * Runs parts of a transaction as savepoints.
 *
 * @param execute Runs a statement in the transaction.
 */
export function savepoints<Tx>(tx: Tx, execute: (text: string) => Promise<unknown>): RunPart<Tx> {
  return async (run) => {
    await execute(SAVEPOINT);
    try {
      const value = await run(tx);
      // Fails if the handler ignored the failure of a statement.
      await execute(`RELEASE ${SAVEPOINT}`);
      return value;
    } catch (error) {
      await execute(`ROLLBACK TO ${SAVEPOINT}`);
      throw error;
    }
  };
}
