import { bodyConsumed } from "../read-body.ts";
import type { Receiver } from "../request.ts";

/** What the handler needs of Hono's context. */
interface Context {
  readonly req: { readonly raw: Request };
}

/**
 * Makes a Hono handler of a receiver.
 *
 * How long a body may take to come is for the server to say: on Node that is `requestTimeout` of
 * its `serverOptions`, five minutes unless set.
 *
 * A body that was read before rejects with a TxfeedError `body-consumed`, which goes to the app's
 * `onError`.
 *
 * @example app.post("/webhooks", toHonoHandler(receiver))
 */
export function toHonoHandler(receiver: Receiver): (context: Context) => Promise<Response> {
  return async ({ req: { raw } }) => {
    if (raw.bodyUsed) throw bodyConsumed("a middleware");
    return receiver(raw);
  };
}
