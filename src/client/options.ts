import type { Networks } from "../contract/networks.ts";
import { UsageError } from "../errors.ts";
import { assertKnownOptions, invalidOption } from "../options.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type Fetch, fetchTransport } from "./fetch-transport.ts";
import type { CallHeaders } from "./headers.ts";
import type { LogOptions } from "./log.ts";
import type { Middleware } from "./middleware.ts";
import type { TokenStore } from "./token-store.ts";
import type { SpanTracer } from "./tracing.ts";
import type { Transport } from "./transport.ts";

/** The reaction to a response that breaks the contract: ignore it, log it, or throw. */
export type ValidationMode = "off" | "warn" | "throw";

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with a FeedAbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of the call, retries and delays included. */
  readonly timeoutMs?: number | undefined;
  /** The time limit of one attempt, until the response's body is read. */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * The maximum number of retries (default: the client's `retries` for GET and HEAD; 0 for other
   * methods).
   */
  readonly retries?: number | undefined;
  /** Additional headers; `authorization` is ignored. */
  readonly headers?: CallHeaders | undefined;
  /** Whether to validate the response (default: the client's `validate`). */
  readonly validate?: ValidationMode | undefined;
}

/** The options of a client. */
export interface FeedClientOptions {
  /** The service's base address, such as `https://feed.example` or one with a path. */
  readonly baseUrl: string;
  /** The account, as given at onboarding. */
  readonly accountId: string;
  /** The client id of the API credentials. */
  readonly clientId: string;
  /** The client secret of the API credentials. */
  readonly clientSecret: string;
  /** The time limit of a call, retries and delays included (default: 30,000). */
  readonly timeoutMs?: number;
  /** The time limit of one attempt (default: 10,000). */
  readonly attemptTimeoutMs?: number;
  /** The maximum number of retries of a GET, a HEAD or a token exchange (default: 2). */
  readonly retries?: number;
  /** The longest `Retry-After` that the client waits for (default: 60,000). */
  readonly maxRetryAfterMs?: number;
  /** The maximum number of concurrent requests (default: 64). */
  readonly maxConcurrent?: number;
  /** The maximum size of a response's body, in bytes (default: 16 MiB). */
  readonly maxResponseBytes?: number;
  /** Whether to validate responses against the contract (default: `off`). */
  readonly validate?: ValidationMode;
  /** The codes of the card networks, for validation. */
  readonly networks?: Networks;
  /** Runs around every attempt, the first one outermost. */
  readonly middleware?: readonly Middleware[];
  /** Shares one access token between processes. */
  readonly tokenStore?: TokenStore;
  /** Receives an entry for each attempt, retry and token exchange (default: no log). */
  readonly log?: LogOptions["log"];
  /** Additional headers that log entries may show. */
  readonly logHeaders?: LogOptions["logHeaders"];
  /** Query parameters that log entries may show in addition to `limit` and `offset`. */
  readonly logQuery?: LogOptions["logQuery"];
  /** Creates a span for each call: an OpenTelemetry tracer, such as `trace.getTracer("…")`. */
  readonly tracer?: SpanTracer;
  /** Sends the requests (default: the global `fetch`). */
  readonly fetch?: Fetch;
  /** Replaces `fetch`: `undiciTransport()` or `createMockTransport()`. */
  readonly transport?: Transport;
  /** The source of time and timers (default: the system clock). */
  readonly clock?: Clock;
  /** Returns numbers from 0 up to 1 (default: `Math.random`). */
  readonly random?: () => number;
}

/** The names of {@link CallOptions}. */
export const CALL_OPTIONS = [
  ...["signal", "timeoutMs", "attemptTimeoutMs", "retries", "headers", "validate"],
] as const;

const REQUIRED = ["baseUrl", "accountId", "clientId", "clientSecret"] as const;

const FUNCTIONS = ["fetch", "transport", "log", "random"] as const;

const NUMBERS = {
  timeoutMs: 30_000,
  attemptTimeoutMs: 10_000,
  retries: 2,
  maxRetryAfterMs: 60_000,
  maxConcurrent: 64,
  maxResponseBytes: 16 * 2 ** 20,
};

/** The names of {@link FeedClientOptions}. */
export const CLIENT_OPTIONS = [
  ...REQUIRED,
  ...FUNCTIONS,
  ...(Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]),
  "validate",
  "networks",
  "middleware",
  "tokenStore",
  "logHeaders",
  "logQuery",
  "tracer",
  "clock",
] as const;

/** The options of a client, with defaults applied. */
export type Settings = FeedClientOptions &
  Required<
    Pick<
      FeedClientOptions,
      keyof typeof NUMBERS | "validate" | "middleware" | "transport" | "clock" | "random"
    >
  >;

/**
 * Checks the options of a client and applies the defaults.
 *
 * @throws {TxfeedError} `usage` if an option is invalid
 */
export function settingsOf(given: Partial<FeedClientOptions> | null | undefined): Settings {
  const options = given ?? {};
  // One object may contain all credentials of an account, such as those of a sandbox.
  const known = [...CLIENT_OPTIONS, "sdkClientId", "sdkClientSecret"];
  assertKnownOptions("createFeedClient", options, known);
  for (const name of REQUIRED) {
    const value: unknown = options[name];
    if (typeof value !== "string" || value === "") {
      // Do not print the value: it could be part of a secret.
      const got = value === "" ? "an empty string" : typeof value;
      const advice = `give the one from your onboarding; got ${got}`;
      throw new UsageError(`${name} is missing, or not a string: ${advice}`);
    }
  }
  for (const name of FUNCTIONS) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "function") {
      throw invalidOption(name, "a function", typeof value);
    }
  }
  const { middleware = [], validate = "off", networks = {} } = options;
  assertKnownOptions("createFeedClient: networks", networks, ["a", "b", "c"]);
  if (!Array.isArray(middleware)) throw invalidOption("middleware", "an array", typeof middleware);
  checkValues(options);
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    ...NUMBERS,
    validate,
    middleware,
    clock: systemClock,
    random: Math.random,
    transport: fetchTransport(options.fetch),
    ...(Object.fromEntries(set) as unknown as FeedClientOptions),
  };
}

/**
 * Checks the options of one call.
 *
 * @param what The method, such as `cards.get`, for the message.
 * @param own The names of options that this method accepts in addition to {@link CALL_OPTIONS}.
 * @throws {TxfeedError} `usage` if an option is invalid
 */
export function checkCall(
  what: string,
  options: CallOptions = {},
  ...own: readonly string[]
): void {
  assertKnownOptions(what, options, [...CALL_OPTIONS, ...own]);
  checkValues(options);
}

/**
 * Checks the values of numeric options and of `validate`.
 *
 * @throws {TxfeedError} `usage` for a number out of range (timers accept at most 2^31 - 1), or an
 * unknown `validate`
 */
export function checkValues(
  options: Readonly<Partial<Record<keyof typeof NUMBERS, number | undefined>>> &
    Pick<CallOptions, "validate">,
): void {
  const { validate = "off" } = options;
  if (!["off", "warn", "throw"].includes(validate))
    throw invalidOption("validate", "off, warn or throw", validate);
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const value = options[name];
    const min = name === "maxConcurrent" ? 1 : 0;
    if (value !== undefined && !(Number.isInteger(value) && value >= min && value < 2 ** 31)) {
      throw invalidOption(name, `an integer from ${min} to 2^31 - 1`, value);
    }
  }
}
