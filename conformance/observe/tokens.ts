import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf } from "./crawl.ts";
import { pagingsOf } from "./paging.ts";

/** Gets a token for the SDK credentials and keeps it as `$TXFEED_SDK_TOKEN`. */
export function sdkExchange(session: Session): Promise<Exchange> {
  return session.share("the SDK's token", (shared) =>
    shared.exchangeToken({ identity: "sdk", keepAs: "$TXFEED_SDK_TOKEN" }),
  );
}

/** Gets a token for the second account and keeps it as `$TXFEED_SECOND_TOKEN`. */
export function secondAccountExchange(session: Session): Promise<Exchange> {
  return session.share("the second account's token", (shared) =>
    shared.exchangeToken({ identity: "second", keepAs: "$TXFEED_SECOND_TOKEN" }),
  );
}

/**
 * Gets a second token for the run's own credentials and keeps it as `$TXFEED_TOKEN_LATER`. It may
 * invalidate the first one (AUTH-10). Most data is therefore fetched before, so that only the check
 * of AUTH-10 fails.
 */
export function laterExchange(session: Session): Promise<Exchange> {
  return session.share("a second token", async (shared) => {
    await feedOf(shared);
    if (shared.capabilities.profile === "full") await pagingsOf(shared);
    return shared.exchangeToken({ keepAs: "$TXFEED_TOKEN_LATER" });
  });
}

/** Throws a Skip if an exchange returned no token. */
export function requireToken({ response }: Exchange, whose: string): void {
  const token = memberOf(response?.json, "access_token");
  if (typeof token === "string" && token !== "") return;
  throw new Skip(`${whose} got no token: see AUTH-01 and AUTH-02`);
}
