import { TxfeedError } from "../../errors.ts";
import { bodyConsumed } from "../read-body.ts";
import type { Receiver } from "../request.ts";

/** What the handler needs of Hono's context. */
interface Context {
  readonly req: { readonly raw: Request };
}

/**
 * Makes a Hono handler of a receiver.
 *
 * A body that was read before rejects with a TxfeedError `body-consumed`, which goes to the app's
 * `onError`.
 *
 * @example app.post("/webhooks", toHonoHandler(receiver))
 */
export function toHonoHandler(receiver: Receiver): (context: Context) => Promise<Response> {
  return async ({ req: { raw } }) => {
    if (raw.bodyUsed) throw bodyConsumed("a middleware");
    try {
      return await receiver(raw);
    } catch (error) {
      const isBrokenOff = error instanceof TxfeedError && error.code === "body-incomplete";
      // Nobody is there to read it; an error would be logged as the app's own.
      if (isBrokenOff) return new Response(null, { status: 408 });
      throw error;
    }
  };
}
