import { TxfeedError } from "../errors.ts";
import { BaseAddress } from "./base-address.ts";
import { ServerClock } from "./clock.ts";
import { type LogEntry, Redaction } from "./log.ts";
import { type FeedClientOptions, type Settings, settle } from "./options.ts";
import { Secrets } from "./secrets.ts";
import { Tracing } from "./tracing.ts";

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

/** Puts together what they share. Throws a TxfeedError `usage` at an option that makes no sense. */
export function wire(options: FeedClientOptions): Wiring {
  const settings = settle(options);
  const { log, accountId, clientId, clientSecret } = settings;
  const base = new BaseAddress(settings.baseUrl);
  return {
    settings,
    base,
    server: new ServerClock(settings.clock),
    secrets: new Secrets([clientSecret, clientId, accountId]),
    redaction: new Redaction(settings),
    tracing: new Tracing(settings.tracer, base.origin),
    log: log && ((entry) => quietly(() => log(entry))),
  };
}

function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // A log that fails has nobody left to tell.
  }
}

/** What an error is called where only a name may be shown. */
export function nameOf(error: unknown): string {
  return error instanceof TxfeedError ? error.code : "error";
}
