import type { Networks } from "../contract/index.ts";
import type { Control } from "./control/control.ts";
import type { ClockMode, EndpointParams, SandboxAccount, WorldName } from "./control/types.ts";

/** The options of a sandbox. Every option has a default that suits tests. */
export interface SandboxOptions {
  /** Default: 0, a free port. */
  readonly port?: number | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * The file that keeps the state; default: memory. Its state overrides the world. Only its owner
   * can read a new file; an existing file keeps its mode.
   */
  readonly data?: string | undefined;
  /**
   * Decides every id and secret; default: 1. If it is not set and the host is not loopback, secrets
   * are random: those of accounts, and those that sign deliveries. A file with seeded secrets is
   * then refused.
   */
  readonly seed?: number | undefined;
  /** The seed data. Default: `small`. */
  readonly world?: WorldName | undefined;
  /** Default: `real`. */
  readonly clock?: ClockMode | undefined;
  /** The start of the clock. Default: now; for a frozen clock 2026-01-05T09:00:00.000Z. */
  readonly now?: string | undefined;
  /** The codes of the card networks. Default: the placeholders of the interface. */
  readonly networks?: Networks | undefined;
  /** The webhook endpoints, which receive every event from the first one on. */
  readonly webhooks?: readonly EndpointParams[] | undefined;
  /** Validates every response and delivery against the contract. Default: false. */
  readonly validate?: boolean | undefined;
}

/** A running sandbox, with the methods that control it. */
export interface Sandbox extends Control, AsyncDisposable {
  /** For example `http://127.0.0.1:40123`. */
  readonly baseUrl: string;
  /** The base address and `/_sandbox`. */
  readonly controlUrl: string;
  /**
   * The two accounts of the seed data, which are isolated from each other. A reset to another
   * seed or a restored state replaces them.
   */
  readonly accounts: readonly [SandboxAccount, SandboxAccount];
  readonly networks: Networks;
  /**
   * The errors of the sandbox itself, a line each; normally empty. With `validate` it lists
   * responses that break the contract. It always lists failed jobs, which were dropped; Node warns
   * of them, too.
   */
  readonly violations: readonly string[];
  /**
   * Stops the sandbox. Running requests get no response; running deliveries are sent again when the
   * same file is opened. A second call has no effect. Every other method then rejects with a
   * TxfeedError `usage`.
   */
  close(): Promise<void>;
}
