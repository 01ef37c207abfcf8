import { TxfeedError } from "../errors.ts";
import { AccessTokens } from "./access-tokens.ts";
import { BaseAddress } from "./base-address.ts";
import { Caller } from "./caller.ts";
import { ServerClock } from "./clock.ts";
import { Redaction } from "./log.ts";
import { type FeedClientOptions, settle } from "./options.ts";
import { Secrets } from "./secrets.ts";
import type { Sender } from "./sender.ts";
import { tokenExchange } from "./token-exchange.ts";
import { Tracing } from "./tracing.ts";
import { nameOf, type Wiring } from "./wiring.ts";

/** Puts together what the parts of a client share. Throws a TxfeedError `usage` at a bad option. */
export function wire(options: FeedClientOptions): Wiring {
  const settings = settle(options);
  const base = new BaseAddress(settings.baseUrl);
  const { accountId, clientId, clientSecret } = settings;
  const { log } = settings;
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

/** Makes the access tokens of a client's credentials. */
export function tokensOf(wiring: Wiring, sender: Sender): AccessTokens {
  const { settings, server, secrets, log } = wiring;
  return new AccessTokens({
    exchange: tokenExchange(new Caller(wiring, sender), wiring),
    store: settings.tokenStore,
    clock: settings.clock,
    server,
    onSoftFailure: (what, error) => {
      const reason = `${what}: ${error instanceof TxfeedError ? error.message : nameOf(error)}`;
      log?.({ level: "warn", event: "soft-failure", reason: secrets.scrub(reason) });
    },
  });
}

/** Runs what must not end a call. */
function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // A log that fails has nobody left to tell.
  }
}
