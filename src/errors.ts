/**
 * What can go wrong outside of a payload or a target:
 *
 * | code | meaning | exit status |
 * |---|---|---|
 * | `usage` | an unknown command or flag, a missing or malformed value | 2 |
 * | `file` | a file can't be read or written | 2 |
 * | `port-in-use` | the port is taken, or takes more rights | 2 |
 * | `not-installed` | an optional package that the command needs is not there | 2 |
 * | `not-started` | a program that the command starts did not start, or ended by itself | 1 |
 * | `unreachable` | nothing answers at the target's address | 3 |
 * | `body-consumed` | something read a delivery's body before the receiver could | 1 |
 * | `body-incomplete` | a delivery's body broke off, or took too long to come | 1 |
 * | `unverified` | a delivery is not authentic; the message says why | 1 |
 *
 * What a call of the client rejects with besides `usage`, each a class of `txfeed/client`:
 *
 * | code | meaning |
 * |---|---|
 * | `http` | the answer has a status that is no success |
 * | `authentication` | 401, of the token exchange or of the API |
 * | `network` | no answer came, or it broke off |
 * | `timeout` | an attempt, or the whole call, took too long |
 * | `aborted` | the caller's own signal ended the call |
 * | `contract` | the answer is not what the contract says |
 * | `refused-link` | a link leads where no token may go |
 */
export type ErrorCode =
  | "usage"
  | "file"
  | "port-in-use"
  | "not-installed"
  | "not-started"
  | "unreachable"
  | "body-consumed"
  | "body-incomplete"
  | "unverified"
  | "http"
  | "authentication"
  | "network"
  | "timeout"
  | "aborted"
  | "contract"
  | "refused-link";

/** An error that its message explains in one line: what, where and what to do. Match on `code`. */
export class TxfeedError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TxfeedError";
    this.code = code;
  }
}

/**
 * What an error says of itself, with the cause that Node's fetch hides behind "fetch failed".
 * Anything can be thrown, also what can't be made a text: it never throws, and is a text always.
 */
export function reasonOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    const { cause } = error;
    const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
    return String(inner instanceof Error ? inner.message || inner : error.message);
  } catch {
    return "an error that can't be shown";
  }
}
