import {
  type BodyOptions,
  bodyConsumed,
  bodyTimeoutOf,
  receiveRequest,
} from "../receive-request.ts";
import type { Receiver } from "../request.ts";

export type { BodyOptions as HonoOptions };

/** The member of Hono's context that the handler uses. */
interface Context {
  readonly req: { readonly raw: Request };
}

/**
 * Creates a Hono handler from a receiver.
 *
 * If the body was read before, the app's `onError` gets a TxfeedError `body-consumed`.
 *
 * @throws {TxfeedError} `usage` if an option is unknown, or the time limit is not a duration.
 * @example app.post("/webhooks", toHonoHandler(receiver))
 */
export function toHonoHandler(
  receiver: Pick<Receiver, "receive">,
  options: BodyOptions = {},
): (context: Context) => Promise<Response> {
  const bodyTimeoutMs = bodyTimeoutOf("toHonoHandler", options);
  return async ({ req: { raw } }) => {
    if (raw.bodyUsed) throw bodyConsumed("a middleware");
    return receiveRequest(receiver.receive, raw, bodyTimeoutMs);
  };
}
