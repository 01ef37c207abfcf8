import { BaseAddress } from "./base-address.ts";
import { ServerClock } from "./clock.ts";
import { type LogEntry, Redaction } from "./log.ts";
import { type FeedClientOptions, type Settings, settle } from "./options.ts";
import { Secrets } from "./secrets.ts";

/** What the parts of one client share. */
export interface ClientContext {
  readonly settings: Settings;
  readonly base: BaseAddress;
  readonly server: ServerClock;
  readonly secrets: Secrets;
  readonly redaction: Redaction;
  /** Undefined where nobody listens. A log that fails ends no call. */
  readonly log: ((entry: LogEntry) => void) | undefined;
}

/** Puts together what they share. Throws a TxfeedError `usage` at an option that makes no sense. */
export function createContext(options: FeedClientOptions): ClientContext {
  const settings = settle(options);
  const { log, accountId, clientId, clientSecret } = settings;
  const secrets = new Secrets([clientSecret, clientId, accountId]);
  return {
    settings,
    base: new BaseAddress(settings.baseUrl),
    server: new ServerClock(settings.clock),
    secrets,
    redaction: new Redaction(settings),
    log: log && ((entry) => quietly(() => log(redacted(entry, secrets)))),
  };
}

/** An entry without secrets, of which one could be a part of its own words. */
function redacted(entry: LogEntry, secrets: Secrets): LogEntry {
  const { level, event, operation } = entry;
  return { ...secrets.scrubAll(entry), level, event, ...(operation && { operation }) };
}

async function quietly(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch {
    // A log that fails has nobody left to tell.
  }
}
