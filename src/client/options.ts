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

/** What is done with an answer that breaks the contract: nothing, a word in the log, an error. */
export type ValidationMode = "off" | "warn" | "throw";

/** What a caller may settle for one call. */
export interface CallOptions {
  /** Ends the call: it rejects with a FeedAbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, with all its attempts and waits. */
  readonly timeoutMs?: number | undefined;
  /** How long one attempt may take, to the end of the answer's body. */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * How many more attempts a call may take. The client's own `retries` hold for what reads only; a
   * PATCH is sent once unless the call itself says otherwise.
   */
  readonly retries?: number | undefined;
  /** Headers besides the client's own; one for the access token is left out. */
  readonly headers?: CallHeaders | undefined;
  /** Whether the answer is checked against the contract: as the client's `validate` unless set. */
  readonly validate?: ValidationMode | undefined;
}

/** What a client needs to know. */
export interface FeedClientOptions {
  /** The service's base address, such as `https://feed.example` or one with a path. */
  readonly baseUrl: string;
  /** The account, as given at onboarding. */
  readonly accountId: string;
  /** Of the API credentials. */
  readonly clientId: string;
  /** Of the API credentials. */
  readonly clientSecret: string;
  /** How long a call may take, with all its attempts and waits: 30,000 unless set. */
  readonly timeoutMs?: number;
  /** How long one attempt may take: 10,000 unless set. */
  readonly attemptTimeoutMs?: number;
  /** How many more attempts a GET or a token exchange may take: 2 unless set. */
  readonly retries?: number;
  /** The longest `Retry-After` that is waited for: 60,000 unless set. */
  readonly maxRetryAfterMs?: number;
  /** How many requests are under way at once: 64 unless set. */
  readonly maxConcurrent?: number;
  /** How many bytes an answer's body may have: 16 MiB unless set. */
  readonly maxResponseBytes?: number;
  /** Whether answers are checked against the contract: `off` unless set. */
  readonly validate?: ValidationMode;
  /** The codes of the card networks, for validation. */
  readonly networks?: Networks;
  /** What runs around every attempt, the first one outermost. */
  readonly middleware?: readonly Middleware[];
  /** Where several processes share one access token. */
  readonly tokenStore?: TokenStore;
  /** Gets an entry for each attempt, retry and token exchange. Nothing is logged unless set. */
  readonly log?: LogOptions["log"];
  /** Headers that log entries show besides the harmless ones. */
  readonly logHeaders?: LogOptions["logHeaders"];
  /** Query parameters that log entries show besides `limit` and `offset`. */
  readonly logQuery?: LogOptions["logQuery"];
  /** Gives a span for each call: a tracer of OpenTelemetry, as `trace.getTracer("…")` gives it. */
  readonly tracer?: SpanTracer;
  /** Sends the requests, in place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Sends the requests, in place of `fetch`: `undiciTransport()`, `createMockTransport()`. */
  readonly transport?: Transport;
  /** Tells the time and waits, in place of the machine's clock. */
  readonly clock?: Clock;
  /** Gives numbers from 0 up to 1, in place of `Math.random`. */
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

/** The options of a client with nothing left open. */
export type Settings = FeedClientOptions &
  Required<
    Pick<
      FeedClientOptions,
      keyof typeof NUMBERS | "validate" | "middleware" | "transport" | "clock" | "random"
    >
  >;

/** Fills in what is left open. Throws a TxfeedError `usage` at what makes no sense. */
export function settle(given: Partial<FeedClientOptions> | null | undefined): Settings {
  const options = given ?? {};
  // One object may have all credentials of an account, as those of a sandbox do.
  const known = [...CLIENT_OPTIONS, "sdkClientId", "sdkClientSecret"];
  assertKnownOptions("createFeedClient", options, known);
  for (const name of REQUIRED) {
    const value: unknown = options[name];
    if (typeof value !== "string" || value === "") {
      // The value could be a part of a secret.
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
 * @param what The call, for the message.
 * @param own The names of options that this call takes besides {@link CALL_OPTIONS}.
 * @throws {TxfeedError} `usage`
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
 * Throws a TxfeedError `usage` at a number that makes no sense, or is more than a timer takes, and
 * at a `validate` that is none.
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
    const least = name === "maxConcurrent" ? 1 : 0;
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value < 2 ** 31)) {
      throw invalidOption(name, `a whole number from ${least} to 2^31 - 1`, value);
    }
  }
}
