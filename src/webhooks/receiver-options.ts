import type { ContractOptions, Networks } from "../contract/networks.ts";
import { UsageError } from "../errors.ts";
import { assertDuration, assertInteger, assertKnownOptions, invalidOption } from "../options.ts";
import type { Fallback, Handlers } from "./handlers.ts";
import type { Hooks } from "./hooks.ts";
import type { Inbox } from "./inbox.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Verify } from "./verification.ts";
import { WORK_OPTIONS, type WorkOptions } from "./worker.ts";

/**
 * The options of a receiver. Only `on` is required.
 *
 * @typeParam Tx The transaction that the inbox gives to handlers.
 */
export interface ReceiverOptions<Tx = undefined> extends ContractOptions, Hooks {
  /**
   * Handlers by the name of their event. Give a list of such objects if each part of a service
   * has its own. An event without a handler is accepted and dropped.
   */
  readonly on: Handlers<NoInfer<Tx>> | readonly Handlers<NoInfer<Tx>>[];
  /** Handles events that the contract does not know. By default they are accepted and dropped. */
  readonly fallback?: Fallback<NoInfer<Tx>>;
  /** Verifies that a delivery is authentic (WHK-04). By default every delivery is accepted. */
  readonly verify?: Verify;
  /** The longest body, in bytes; default: 1 MB (1,048,576). */
  readonly limitBytes?: number;
  /**
   * Stores deliveries and remembers handled ones, so that a duplicate is not handled again.
   * Duplicates are detected by the id that `verify` returns, such as the `webhook-id` of Standard
   * Webhooks, and without one by the event's name and content. By content,
   * `bankaccount.state_changed` and unknown events are never duplicates, because equal content can
   * be a new event.
   */
  readonly inbox?: Inbox<Tx>;
  /**
   * When a delivery is acknowledged: `stored`, when it is in the inbox, and a worker of this
   * receiver handles it afterwards; or `handled`, after its handler. Default: `stored` with an
   * inbox, `handled` without.
   */
  readonly acknowledge?: "stored" | "handled";
  /** How deliveries are handled. `false`: this receiver only stores them, for others to handle. */
  readonly work?: WorkOptions | false;
  /**
   * The headers that are stored with a delivery and passed to its handler, besides `webhook-id`,
   * `webhook-timestamp`, `webhook-event-type`, `user-agent`, `traceparent` and `tracestate`. Don't
   * keep a header with a secret.
   */
  readonly keepHeaders?: readonly string[];
  /** Records metrics and spans, such as `openTelemetry()` of `txfeed/webhooks/opentelemetry`. */
  readonly telemetry?: Telemetry;
  /** The clock for `receivedAt`, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Throws if the value of an option that is given is invalid. */
type Check = (name: string, value: never) => void;

const mustBe =
  (expected: string, isValid: (value: unknown) => boolean): Check =>
  (name, value) => {
    if (!isValid(value)) throw invalidOption(name, expected, value);
  };
const isFunction = (value: unknown) => typeof value === "function";
const hasMethod = (method: string) => (value: unknown) =>
  isFunction((value as Readonly<Record<string, unknown>> | null)?.[method]);
const aFunction = mustBe("a function", isFunction);
const anInteger: Check = (name, value) => assertInteger(name, value);
const aDuration: Check = (name, value) => assertDuration(name, value);

/** The retry policy of the worker checks the other options. */
const WORK_CHECKS = {
  orderBy: mustBe(
    '"resource", "none" or a function',
    (value) => value === "resource" || value === "none" || isFunction(value),
  ),
  concurrency: anInteger,
  leaseMs: aDuration,
  timeoutMs: aDuration,
  pollMs: aDuration,
} satisfies { readonly [Name in keyof WorkOptions]: Check };

const NETWORKS = Object.keys({ a: 0, b: 0, c: 0 } satisfies Record<keyof Networks, 0>);

const CHECKS = {
  fallback: aFunction,
  verify: aFunction,
  limitBytes: anInteger,
  inbox: mustBe("an inbox, such as sqliteInbox({ path })", hasMethod("add")),
  acknowledge: mustBe(
    '"stored" or "handled"',
    (value) => value === "stored" || value === "handled",
  ),
  work(name, value) {
    if (!value) return;
    assertKnownOptions(name, value, WORK_OPTIONS);
    checkEach(`${name}.`, value, WORK_CHECKS);
  },
  keepHeaders: mustBe("a list of names", Array.isArray),
  telemetry: mustBe("a telemetry, such as openTelemetry()", hasMethod("observe")),
  now: aFunction,
  networks: (name, value) => assertKnownOptions(name, value, NETWORKS),
  onFinding: aFunction,
  onInvalid: aFunction,
  onDelivery: aFunction,
} satisfies Record<Exclude<keyof ReceiverOptions, "on">, Check>;

function checkEach(before: string, options: object, checks: Readonly<Record<string, Check>>): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) check(`${before}${name}`, value as never);
  }
}

/**
 * Checks the options of a receiver.
 *
 * @throws {TxfeedError} `usage` if an option is missing, unknown or has a wrong type.
 */
export function checkReceiverOptions<Tx>(options: ReceiverOptions<Tx>): void {
  assertKnownOptions("createReceiver", options, ["on", ...Object.keys(CHECKS)]);
  const { on, inbox, acknowledge, work } = options;
  if (typeof on !== "object" || on === null) {
    const advice = 'give a handler for each event, such as { "transaction.updated": handle }';
    throw refusal(`on must be an object; got ${String(on)}: ${advice}`);
  }
  checkEach("createReceiver: ", options, CHECKS);
  if (acknowledge === "stored" && !inbox) {
    throw refusal('acknowledge: "stored" needs an inbox, such as sqliteInbox({ path })');
  }
  if (work === false && (!inbox || acknowledge === "handled")) {
    throw refusal("work can only be false if deliveries are stored in an inbox");
  }
}

function refusal(why: string): UsageError {
  return new UsageError(`createReceiver: ${why}`);
}
