import { assertDuration, assertKnownOptions } from "../../options.ts";
import { BODY_TIMEOUT_MS, bodyConsumed, receiveRequest } from "../receive-request.ts";
import type { Receiver } from "../request.ts";

/** The member of Hono's context that the handler uses. */
interface Context {
  readonly req: { readonly raw: Request };
}

/** The options of the Hono handler. */
export interface HonoOptions {
  /**
   * The time limit for a delivery's body, in milliseconds; default: 10,000. A body that takes
   * longer gets a 408.
   */
  readonly bodyTimeoutMs?: number;
}

const OPTIONS = Object.keys({ bodyTimeoutMs: 0 } satisfies Record<keyof HonoOptions, 0>);

/**
 * Creates a Hono handler from a receiver.
 *
 * If the body was read before, the app's `onError` gets a TxfeedError `body-consumed`.
 *
 * @throws {TxfeedError} `usage` if an option is unknown, or the timeout is not a positive integer.
 * @example app.post("/webhooks", toHonoHandler(receiver))
 */
export function toHonoHandler(
  receiver: Pick<Receiver, "receive">,
  options: HonoOptions = {},
): (context: Context) => Promise<Response> {
  assertKnownOptions("toHonoHandler", options, OPTIONS);
  const { bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  assertDuration("toHonoHandler: bodyTimeoutMs", bodyTimeoutMs);
  return async ({ req: { raw } }) => {
    if (raw.bodyUsed) throw bodyConsumed("a middleware");
    return receiveRequest(receiver.receive, raw, bodyTimeoutMs);
  };
}
