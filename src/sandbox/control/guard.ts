import { isIP } from "node:net";
import type { Context, Next } from "hono";
import { Refusal } from "../refusal.ts";

const forbidden = (detail: string) => new Refusal(403, "Forbidden", detail);

/**
 * Keeps other sites out, as nothing else does: the control API asks for no token. A page of another
 * site shows itself by its Origin, or, where its name was made to lead here, by its Host.
 */
export async function guard(context: Context, next: Next): Promise<void> {
  const { hostname, host } = new URL(context.req.url);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  if (!isAddress && hostname !== "localhost") {
    throw forbidden(`the control API is called by an address or localhost, not as ${hostname}`);
  }
  const origin = context.req.header("origin");
  if (origin !== undefined && origin !== `http://${host}`) {
    throw forbidden(`the control API is not for pages of another site, such as ${origin}`);
  }
  await next();
}
