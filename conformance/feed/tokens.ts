import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../session.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../transport/exchange.ts";
import { feedOf } from "./crawl.ts";
import { pagingsOf } from "./paging.ts";

/** The token of the SDK credentials, good from then on as `$TXFEED_SDK_TOKEN`. */
export function sdkExchange(session: Session): Promise<Exchange> {
  return session.share("the SDK's token", (shared) =>
    shared.exchangeToken({ identity: "sdk", keepAs: "$TXFEED_SDK_TOKEN" }),
  );
}

/** The token of the second account, good from then on as `$TXFEED_SECOND_TOKEN`. */
export function secondAccountExchange(session: Session): Promise<Exchange> {
  return session.share("the second account's token", (shared) =>
    shared.exchangeToken({ identity: "second", keepAs: "$TXFEED_SECOND_TOKEN" }),
  );
}

/**
 * A second token of the run's own credentials, as `$TXFEED_TOKEN_LATER`. Where it invalidates the
 * first (AUTH-10), that is to be seen by its own check: so most else is looked at before.
 */
export function laterExchange(session: Session): Promise<Exchange> {
  return session.share("a second token", async (shared) => {
    await feedOf(shared);
    if (shared.capabilities.profile === "full") await pagingsOf(shared);
    return shared.exchangeToken({ keepAs: "$TXFEED_TOKEN_LATER" });
  });
}

/** Rejects with Unseen where an exchange gave no token. */
export function requireToken({ response }: Exchange, whose: string): void {
  const token = memberOf(response?.json, "access_token");
  if (typeof token === "string" && token !== "") return;
  throw new Skip(`${whose} got no token: see AUTH-01 and AUTH-02`);
}
