import { BaseAddress } from "./base-address.ts";
import { ServerClock } from "./clock.ts";
import { type LogEntry, Redaction } from "./log.ts";
import { type FeedClientOptions, type Settings, settingsOf } from "./options.ts";
import { Secrets } from "./secrets.ts";

/** The state that the parts of one client share. */
export interface ClientContext {
  readonly settings: Settings;
  readonly base: BaseAddress;
  readonly server: ServerClock;
  readonly secrets: Secrets;
  readonly redaction: Redaction;
  /** Undefined without the option `log`. An error of the log does not fail a call. */
  readonly log: ((entry: LogEntry) => void) | undefined;
}

/**
 * Creates the shared state of a client.
 *
 * @throws {TxfeedError} `usage` if an option is invalid
 */
export function createContext(options: FeedClientOptions): ClientContext {
  const settings = settingsOf(options);
  const { log, accountId, clientId, clientSecret } = settings;
  const secrets = new Secrets([clientSecret, clientId, accountId]);
  return {
    settings,
    base: new BaseAddress(settings.baseUrl),
    server: new ServerClock(settings.clock),
    secrets,
    redaction: new Redaction(settings),
    log: log && ((entry) => ignoreErrors(() => log(redacted(entry, secrets)))),
  };
}

/** Removes secrets from an entry, except from fixed values, which a short secret could match. */
function redacted(entry: LogEntry, secrets: Secrets): LogEntry {
  const { level, event, operation } = entry;
  return { ...secrets.scrubAll(entry), level, event, ...(operation && { operation }) };
}

async function ignoreErrors(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch {
    // There is nowhere to report an error of the log.
  }
}
