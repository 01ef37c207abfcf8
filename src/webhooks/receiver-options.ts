import type { ContractOptions } from "../contract/networks.ts";
import type { DuplicateStore } from "./duplicates.ts";
import type { Fallback, Handlers } from "./handlers.ts";
import type { DeliveryQueue } from "./queue.ts";
import type { Hooks } from "./report.ts";
import type { Verify } from "./request.ts";
import type { WorkOptions } from "./worker.ts";

/** What a receiver is made of; only `on` has to be there. */
export interface ReceiverOptions extends ContractOptions, Hooks {
  /**
   * A handler for each event that matters, by its name; or several such maps, as where each part
   * of a service brings its own. An event of the contract that has none is accepted and dropped.
   */
  readonly on: Handlers | readonly Handlers[];
  /** Handles events that the contract does not know; without it they are accepted and dropped. */
  readonly fallback?: Fallback;
  /** Tells whether a delivery is genuine (WHK-04). Without it every delivery is taken for it. */
  readonly verify?: Verify;
  /** The longest body, in bytes; 1 MB (1,048,576) unless set. */
  readonly limitBytes?: number;
  /**
   * Remembers what was handled, so that a repeat is not handled again. A repeat is told by its
   * content, so it is never told of `bankaccount.state_changed`, which can send the same as news,
   * nor of an unknown event.
   */
  readonly duplicates?: DuplicateStore;
  /**
   * Keeps deliveries between their acknowledgement and their handling. Without it a delivery is
   * answered when its handler is through.
   */
  readonly queue?: DeliveryQueue;
  /** How the queue is worked off. */
  readonly work?: WorkOptions;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}
