import type { Networks } from "../contract/index.ts";
import type { ClockMode } from "./clock.ts";
import type { Control, EndpointParams, SandboxAccount, WorldName } from "./control/control.ts";

/** How a sandbox is to be. Every option has a default that a test can use. */
export interface SandboxOptions {
  /** 0, a free one, unless set. */
  readonly port?: number | undefined;
  /** 127.0.0.1 unless set. */
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
  /** What it begins with; `small` unless set. */
  readonly world?: WorldName | undefined;
  /** `real` unless set. */
  readonly clock?: ClockMode | undefined;
  /** A timestamp to begin at; now unless set, or 2026-01-05T09:00:00.000Z for a frozen clock. */
  readonly now?: string | undefined;
  /** The codes of the card networks; the interface's placeholders unless set. */
  readonly networks?: Networks | undefined;
  /** Where deliveries go, from the first event on. */
  readonly webhooks?: readonly EndpointParams[] | undefined;
  /** Holds every answer and delivery against the contract; false unless set. */
  readonly validate?: boolean | undefined;
}

/** A running sandbox, with everything that drives it. */
export interface Sandbox extends Control, AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly baseUrl: string;
  /** The base address and `/_sandbox`. */
  readonly controlUrl: string;
  /**
   * Two from the start, which see nothing of each other. A reset to another seed and a restored
   * state bring their own.
   */
  readonly accounts: readonly [SandboxAccount, SandboxAccount];
  readonly networks: Networks;
  /**
   * What it did wrong itself, a line each; empty as long as all is well: with `validate` the
   * answers that would have broken the contract, and always the jobs that failed and were dropped,
   * of which Node also warns.
   */
  readonly violations: readonly string[];
  /**
   * Stops it, and leaves nothing running. What is under way gets no answer, and a delivery that
   * does not is sent again when the same file is opened. A second call changes nothing. Every
   * other method rejects from then on, with a TxfeedError `usage`.
   */
  close(): Promise<void>;
}
