import { hasCode, LeaseLostError } from "../errors.ts";
import type { RunPart } from "./inbox.ts";

/** A row of a result. Its values are texts, numbers or null. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The procedures of a database. Their parameters and results are the same for each: see
 * `postgres/procedures.ts` and `sqlite/procedures.ts`. Objects and lists are passed as JSON.
 */
export type Procedure =
  | "receive"
  | "take"
  | "renew"
  | "settle"
  | "claim"
  | "replay"
  | "discard"
  | "probe";

/** The parameters of the procedure `settle`. */
export type Settle = readonly [
  leases: readonly object[],
  handled: readonly number[],
  failed: readonly object[],
  keepMs: number,
];

/** The error of `settle` if a lease was lost. */
export const leaseLost = () =>
  new LeaseLostError("the lease of a lane was lost, because it was not renewed in time");

/**
 * The longest wait for the database, except for a statement of an operator. A delivery may wait
 * twice: for its lane, then for its transaction.
 */
export const WAIT_MS = 4000;

/** Whether an error is that of the inbox: its database can't be used. */
export const isOfInbox = (error: unknown) =>
  hasCode(error, "unreachable") || hasCode(error, "file");

/** A database with the tables of an inbox. */
export interface Store<Tx> {
  /** Runs a procedure in a transaction of its own. */
  call(procedure: Procedure, ...parameters: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs a SELECT, which may take longer if an operator waits for it. */
  select(statement: string, isLong?: boolean): Promise<readonly Row[]>;
  /** The prefix of the names of tables. */
  readonly prefix: string;
  /** The time of `due_at` in SQL, in milliseconds. */
  readonly now: () => string;
  /** Quotes a text for a statement. */
  readonly quote: (text: string) => string;
  /**
   * Runs `work` in a transaction, then the procedure `settle` with its result, and commits.
   *
   * @param isAcknowledged Whether the delivery is acknowledged then, so that the statements of
   * `work` must survive a power loss.
   * @throws the error of `work`, unchanged; {TxfeedError} `lease-lost` if `settle` refuses.
   */
  transaction(
    leaseMs: number,
    work: (runPart: RunPart<Tx>) => Promise<Settle>,
    isAcknowledged?: boolean,
  ): Promise<void>;
  /** Whether storing these deliveries again may succeed at once, or one by one. */
  repairOf(error: unknown): "repeat" | "split" | "none";
  readonly maxTransactions?: number | undefined;
  close(): void | Promise<void>;
}
