import { assertKnownOptions } from "../../options.ts";
import { assertInteger } from "../assert-integer.ts";
import { BODY_TIMEOUT_MS, bodyConsumed } from "../read-body.ts";
import { receiveRequest } from "../receive-request.ts";
import type { Receiver } from "../request.ts";

/** What the handler needs of Hono's context. */
interface Context {
  readonly req: { readonly raw: Request };
}

/** What the handler for Hono can be given. */
export interface HonoOptions {
  /** How long a delivery's body may take to come; default: 10,000. Then the answer is 408. */
  readonly bodyTimeoutMs?: number;
}

const OPTIONS = Object.keys({ bodyTimeoutMs: 0 } satisfies Record<keyof HonoOptions, 0>);

/**
 * Makes a Hono handler of a receiver.
 *
 * A body that was read before rejects with a TxfeedError `body-consumed`, which goes to the app's
 * `onError`.
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
  assertInteger("toHonoHandler: bodyTimeoutMs", bodyTimeoutMs);
  return async ({ req: { raw } }) => {
    if (raw.bodyUsed) throw bodyConsumed("a middleware");
    return receiveRequest(receiver.receive, raw, bodyTimeoutMs);
  };
}
