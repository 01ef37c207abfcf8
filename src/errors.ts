/**
 * The kind of an error: the `code` of its class.
 *
 * | code | meaning | exit status |
 * |---|---|---|
 * | `usage` | an unknown command, flag or option, or a missing or invalid value | 2 |
 * | `file` | a file can't be read or written | 2 |
 * | `port-in-use` | the port is in use, or listening on it requires more rights | 2 |
 * | `not-installed` | an optional package that the command needs is not installed | 2 |
 * | `not-started` | a program that the command starts failed to start, or ended by itself | 1 |
 * | `unreachable` | the target can't be reached | 3 |
 * | `refused-credentials` | the target, or a gateway before it, refuses the credentials | 3 |
 * | `body-consumed` | something read a delivery's body before the receiver did | 1 |
 * | `body-incomplete` | a delivery's body ended early, or took too long to arrive | 1 |
 * | `unverified` | a delivery is not authentic; the message says why | 1 |
 * | `lease-lost` | another worker took a delivery over, such as from one that was too slow | 1 |
 * | `retry-later` | a handler asks for a retry of its delivery | 1 |
 * | `quarantine` | a handler asks for the quarantine of its delivery | 1 |
 *
 * A call of `txfeed/client` rejects with `usage` or with one of these, each a class of its own:
 *
 * | code | meaning |
 * |---|---|
 * | `http` | the response has a status other than success |
 * | `authentication` | 401, from the token exchange or from the API |
 * | `network` | no response came, or it ended early |
 * | `timeout` | an attempt, or the whole call, took too long |
 * | `aborted` | the caller's signal ended the call |
 * | `contract` | the response breaks the contract |
 * | `refused-link` | a link leads to an address that must not get the token |
 */
export type ErrorCode =
  | "usage"
  | "file"
  | "port-in-use"
  | "not-installed"
  | "not-started"
  | "unreachable"
  | "refused-credentials"
  | "body-consumed"
  | "body-incomplete"
  | "unverified"
  | "lease-lost"
  | "retry-later"
  | "quarantine"
  | "http"
  | "authentication"
  | "network"
  | "timeout"
  | "aborted"
  | "contract"
  | "refused-link";

/**
 * The base class of all errors of the package. Match on `code`. The message says in one line what
 * is wrong, with the value, and what to do.
 */
export abstract class TxfeedError extends Error {
  declare static readonly code: ErrorCode;
  /** The code of the error's class. */
  declare readonly code: ErrorCode;

  /** @param message What is wrong, with the value, and what to do, in one line. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TxfeedError";
    this.code = new.target.code;
  }
}

/** An unknown command, flag or option, or a missing or invalid value. */
export class UsageError extends TxfeedError {
  static override readonly code = "usage";
  declare readonly code: "usage";
}

/** A file can't be read or written. */
export class FileError extends TxfeedError {
  static override readonly code = "file";
  declare readonly code: "file";
}

/** The port is in use, or listening on it requires more rights. */
export class PortInUseError extends TxfeedError {
  static override readonly code = "port-in-use";
  declare readonly code: "port-in-use";
}

/** An optional package that the command needs is not installed. */
export class NotInstalledError extends TxfeedError {
  static override readonly code = "not-installed";
  declare readonly code: "not-installed";
}

/** A program that the command starts failed to start, or ended by itself. */
export class NotStartedError extends TxfeedError {
  static override readonly code = "not-started";
  declare readonly code: "not-started";
}

/** The target can't be reached. */
export class UnreachableError extends TxfeedError {
  static override readonly code = "unreachable";
  declare readonly code: "unreachable";
}

/** The target, or a gateway before it, refuses the credentials. */
export class RefusedCredentialsError extends TxfeedError {
  static override readonly code = "refused-credentials";
  declare readonly code: "refused-credentials";
}

/** Something read a delivery's body before the receiver did. */
export class BodyConsumedError extends TxfeedError {
  static override readonly code = "body-consumed";
  declare readonly code: "body-consumed";
}

/** A delivery's body ended early, or took too long to arrive. */
export class BodyIncompleteError extends TxfeedError {
  static override readonly code = "body-incomplete";
  declare readonly code: "body-incomplete";
}

/** A delivery is not authentic; the message says why. */
export class UnverifiedError extends TxfeedError {
  static override readonly code = "unverified";
  declare readonly code: "unverified";
}

/** Another worker took a delivery over, such as from one that was too slow. */
export class LeaseLostError extends TxfeedError {
  static override readonly code = "lease-lost";
  declare readonly code: "lease-lost";
}

/**
 * Thrown by a handler, it delays the delivery and its resource until `at`. The attempt does not
 * count as a failure. Without an inbox, the response is a 503 with `retry-after`.
 *
 * @example throw new RetryLaterError("the account is not linked yet", { at: inTenMinutes });
 */
export class RetryLaterError extends TxfeedError {
  static override readonly code = "retry-later";
  declare readonly code: "retry-later";
  readonly at: Date;

  /** @throws {TxfeedError} `usage` if `at` is not a valid date. */
  constructor(message: string, { at, ...options }: ErrorOptions & { readonly at: Date }) {
    super(message, options);
    if (!(at instanceof Date) || Number.isNaN(at.getTime())) {
      throw new UsageError(`RetryLaterError: at must be a valid Date; got ${at}`);
    }
    this.at = at;
  }
}

/**
 * Thrown by a handler, it moves the delivery to quarantine, and the next delivery of its resource
 * proceeds. Without an inbox, the response is a 422.
 *
 * @example throw new QuarantineError("the account belongs to a closed subaccount");
 */
export class QuarantineError extends TxfeedError {
  static override readonly code = "quarantine";
  declare readonly code: "quarantine";
}

/**
 * Whether a thrown value is an error of the package with this code. Unlike `instanceof`, it also
 * recognises the errors of another copy of the package. Accepts any value and never throws.
 */
export function hasCode<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is Code extends "retry-later" ? RetryLaterError : TxfeedError & { readonly code: Code } {
  try {
    const given = error as { code?: unknown; constructor?: { code?: unknown } } | null | undefined;
    // Errors of other packages may have the code, but no class with it.
    return given?.code === code && given.constructor?.code === code;
  } catch {
    return false;
  }
}

/**
 * Returns the message of an error's cause, such as the one that Node's fetch hides behind
 * "fetch failed", or else the error's own. Accepts any thrown value and never throws.
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
