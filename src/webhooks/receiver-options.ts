import type { ContractOptions, Networks } from "../contract/networks.ts";
import { type TxfeedError, UsageError } from "../errors.ts";
import { assertDuration, assertInteger, assertKnownOptions } from "../options.ts";
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

const FUNCTIONS = [
  "fallback",
  "verify",
  "onFinding",
  "onInvalid",
  "onDelivery",
  "now",
] as const satisfies (keyof ReceiverOptions)[];

const OPTIONS = Object.keys({
  on: 0,
  fallback: 0,
  verify: 0,
  limitBytes: 0,
  inbox: 0,
  acknowledge: 0,
  work: 0,
  keepHeaders: 0,
  telemetry: 0,
  now: 0,
  networks: 0,
  onFinding: 0,
  onInvalid: 0,
  onDelivery: 0,
} satisfies Record<keyof ReceiverOptions, 0>);

const NETWORKS = Object.keys({ a: 0, b: 0, c: 0 } satisfies Record<keyof Networks, 0>);

/**
 * Checks the options of a receiver.
 *
 * @throws {TxfeedError} `usage` if an option is missing, unknown or has a wrong type.
 */
export function checkReceiverOptions<Tx>(options: ReceiverOptions<Tx>): void {
  assertKnownOptions("createReceiver", options, OPTIONS);
  if (typeof options.on !== "object" || options.on === null) {
    const advice = 'give a handler for each event, such as { "transaction.updated": handle }';
    throw refusal(`on must be an object; got ${String(options.on)}: ${advice}`);
  }
  for (const name of FUNCTIONS) {
    const value: unknown = options[name];
    if (value === undefined || typeof value === "function") continue;
    throw refusal(`${name} must be a function; got ${String(value)}`);
  }
  const { inbox, acknowledge, limitBytes, networks, work, keepHeaders, telemetry } = options;
  if (inbox !== undefined && typeof inbox?.add !== "function") {
    throw refusal(`inbox must be an inbox, such as sqliteInbox({ path }); got ${inbox}`);
  }
  if (acknowledge !== undefined && acknowledge !== "stored" && acknowledge !== "handled") {
    throw refusal(`acknowledge must be "stored" or "handled"; got ${String(acknowledge)}`);
  }
  if (acknowledge === "stored" && !inbox) {
    throw refusal('acknowledge: "stored" needs an inbox, such as sqliteInbox({ path })');
  }
  if (keepHeaders !== undefined && !Array.isArray(keepHeaders)) {
    throw refusal(`keepHeaders must be a list of names; got ${String(keepHeaders)}`);
  }
  if (telemetry !== undefined && typeof telemetry?.observe !== "function") {
    throw refusal(`telemetry must be a telemetry, such as openTelemetry(); got ${telemetry}`);
  }
  if (limitBytes !== undefined) assertInteger("createReceiver: limitBytes", limitBytes);
  if (work === false && (!inbox || acknowledge === "handled")) {
    throw refusal("work can only be false if deliveries are stored in an inbox");
  }
  if (work) checkWorkOptions(work);
  if (networks !== undefined) assertKnownOptions("createReceiver: networks", networks, NETWORKS);
}

function checkWorkOptions(work: WorkOptions): void {
  assertKnownOptions("createReceiver: work", work, WORK_OPTIONS);
  for (const name of ["leaseMs", "timeoutMs", "pollMs"] as const) {
    const value = work[name];
    if (value !== undefined) assertDuration(`createReceiver: work.${name}`, value);
  }
  if (work.concurrency !== undefined) {
    assertInteger("createReceiver: work.concurrency", work.concurrency);
  }
  const { orderBy } = work;
  if (orderBy === undefined || orderBy === "resource" || orderBy === "none") return;
  if (typeof orderBy === "function") return;
  throw refusal(`work.orderBy must be "resource", "none" or a function; got ${String(orderBy)}`);
}

function refusal(why: string): TxfeedError {
  return new UsageError(`createReceiver: ${why}`);
}
