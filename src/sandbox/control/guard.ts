import { isIP } from "node:net";
import type { Context, Next } from "hono";
import { Refusal } from "../refusal.ts";

const forbidden = (detail: string) => new Refusal(403, "Forbidden", detail);

/**
 * Refuses pages of other sites, because the control API needs no token. It detects them by the
 * Origin header, and DNS rebinding by the Host header.
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
