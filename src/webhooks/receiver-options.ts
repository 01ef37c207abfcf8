import type { ContractOptions, Networks } from "../contract/networks.ts";
import { type TxfeedError, UsageError } from "../errors.ts";
import { assertKnownOptions } from "../options.ts";
import { assertInteger } from "./assert-integer.ts";
import type { DuplicateStore } from "./duplicates.ts";
import type { Fallback, Handlers } from "./handlers.ts";
import type { DeliveryQueue } from "./queue.ts";
import type { Hooks } from "./report.ts";
import type { Verify } from "./request.ts";
import { WORK_OPTIONS, type WorkOptions } from "./worker.ts";

/** What a receiver is made of; only `on` has to be there. */
export interface ReceiverOptions extends ContractOptions, Hooks {
  /**
   * A handler for each event that matters, by its name; or several such maps, as where each part
   * of a service brings its own. An event of the contract that has none is accepted and dropped.
   */
  readonly on: Handlers | readonly Handlers[];
  /** Handles events that the contract does not know; without it they are accepted and dropped. */
  readonly fallback?: Fallback;
  /** Verifies that a delivery is authentic (WHK-04). By default every delivery is accepted. */
  readonly verify?: Verify;
  /** The longest body, in bytes; default: 1 MB (1,048,576). */
  readonly limitBytes?: number;
  /**
   * Remembers handled deliveries, so that a duplicate is not handled again. Duplicates are detected
   * by the id that `verify` found to be authentic, such as the `webhook-id` of Standard Webhooks,
   * whatever their event's name says. Without such an id they are detected by name and content;
   * `bankaccount.state_changed`, whose content can recur as a new event, and unknown events are
   * then never duplicates.
   */
  readonly duplicates?: DuplicateStore;
  /**
   * Keeps deliveries between their acknowledgement and their handling. Without it a delivery is
   * answered when its handler has ended.
   */
  readonly queue?: DeliveryQueue;
  /** How the queue is worked off. */
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

/** Refuses, with a TxfeedError `usage`, options that the receiver would misunderstand. */
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
