import { TxfeedError } from "../errors.ts";
import type { BaseAddress } from "./base-address.ts";
import type { ServerClock } from "./clock.ts";
import type { LogEntry, Redaction } from "./log.ts";
import type { Settings } from "./options.ts";
import type { Secrets } from "./secrets.ts";
import type { Tracing } from "./tracing.ts";

/** What the parts of one client share. */
export interface Wiring {
  readonly settings: Settings;
  readonly base: BaseAddress;
  readonly server: ServerClock;
  readonly secrets: Secrets;
  readonly redaction: Redaction;
  readonly tracing: Tracing;
  /** Undefined where nobody listens. A log that fails ends no call. */
  readonly log: ((entry: LogEntry) => void) | undefined;
}

/** What an error is called where only a name may be shown. */
export function nameOf(error: unknown): string {
  return error instanceof TxfeedError ? error.code : "error";
}
