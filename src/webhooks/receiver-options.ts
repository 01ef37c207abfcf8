import type { ContractOptions, Networks } from "../contract/networks.ts";
import { type TxfeedError, UsageError } from "../errors.ts";
import { assertKnownOptions } from "../options.ts";
import { assertInteger } from "./assert-integer.ts";
import type { DuplicateStore } from "./duplicates.ts";
import type { Fallback, Handlers } from "./handlers.ts";
import type { Hooks } from "./hooks.ts";
import type { DeliveryQueue } from "./queue.ts";
import type { Verify } from "./verification.ts";
import { WORK_OPTIONS, type WorkOptions } from "./worker.ts";

/** The options of a receiver. Only `on` is required. */
export interface ReceiverOptions extends ContractOptions, Hooks {
  /**
   * Handlers by the name of their event. Give a list of such objects if each part of a service
   * has its own. An event without a handler is accepted and dropped.
   */
  readonly on: Handlers | readonly Handlers[];
  /** Handles events that the contract does not know. By default they are accepted and dropped. */
  readonly fallback?: Fallback;
  /** Verifies that a delivery is authentic (WHK-04). By default every delivery is accepted. */
  readonly verify?: Verify;
  /** The longest body, in bytes; default: 1 MB (1,048,576). */
  readonly limitBytes?: number;
  /**
   * Remembers handled deliveries, so that a duplicate is not handled again. Duplicates are detected
   * by the id that `verify` returns, such as the `webhook-id` of Standard Webhooks, and without one
   * by the event's name and content. By content, `bankaccount.state_changed` and unknown events are
   * never duplicates, because equal content can be a new event.
   */
  readonly duplicates?: DuplicateStore;
  /**
   * Keeps deliveries between their acknowledgement and their handling. Without it, the response
   * waits for the handler.
   */
  readonly queue?: DeliveryQueue;
  /** How queued deliveries are handled. */
  readonly work?: WorkOptions;
  /** The clock for `receivedAt`, in milliseconds since 1970. */
  readonly now?: () => number;
}

const FUNCTIONS = [
  "fallback",
  "verify",
  "onFinding",
  "onQuarantine",
  "onDelivery",
  "now",
] as const satisfies (keyof ReceiverOptions)[];

const OPTIONS = Object.keys({
  on: 0,
  fallback: 0,
  verify: 0,
  limitBytes: 0,
  duplicates: 0,
  queue: 0,
  work: 0,
  now: 0,
  networks: 0,
  onFinding: 0,
  onQuarantine: 0,
  onDelivery: 0,
} satisfies Record<keyof ReceiverOptions, 0>);

const NETWORKS = Object.keys({ a: 0, b: 0, c: 0 } satisfies Record<keyof Networks, 0>);

/**
 * Checks the options of a receiver.
 *
 * @throws {TxfeedError} `usage` if an option is missing, unknown or has a wrong type.
 */
export function checkReceiverOptions(options: ReceiverOptions): void {
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
  const { duplicates, queue, limitBytes, networks, work } = options;
  if (duplicates !== undefined && typeof duplicates?.claim !== "function") {
    throw refusal(`duplicates must be a store, such as memoryDuplicates(); got ${duplicates}`);
  }
  if (queue !== undefined && typeof queue?.add !== "function") {
    throw refusal(`queue must be a queue, such as sqliteQueue({ path }); got ${queue}`);
  }
  if (limitBytes !== undefined) assertInteger("createReceiver: limitBytes", limitBytes);
  if (work !== undefined) assertKnownOptions("createReceiver: work", work, WORK_OPTIONS);
  if (networks !== undefined) assertKnownOptions("createReceiver: networks", networks, NETWORKS);
}

function refusal(why: string): TxfeedError {
  return new UsageError(`createReceiver: ${why}`);
}
