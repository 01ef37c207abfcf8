import { Hono, type MiddlewareHandler } from "hono";
import type { Service } from "../service.ts";
import { assetResponse, loadPageAssets, withEtag } from "./assets.ts";
import { pageContract } from "./contract.ts";
import { linkPage } from "./link-page.ts";

/** Forbids other origins, inline code and frames. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

const asPage: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("content-security-policy", POLICY);
  c.header("referrer-policy", "no-referrer");
};

/** The page that shows and controls the sandbox, and the hosted page of a bank link. */
export function pageApp({ engine }: Service): Hono {
  const app = new Hono();
  // The page has relative URLs, so its own URL must end with a slash.
  app.get("/", asPage, withEtag, async (c) => {
    return assetResponse(c, await loadPageAssets(), "index.html");
  });
  app.get("/contract.json", asPage, withEtag, (c) => c.json(pageContract()));
  app.get("/assets/:name", asPage, withEtag, async (c) => {
    return assetResponse(c, await loadPageAssets(), c.req.param("name"));
  });
  app.get("/link/:bankLinkId", asPage, (c) => {
    const bankLink = engine.store.get("bank-links", c.req.param("bankLinkId"));
    return c.html(linkPage(bankLink), bankLink ? 200 : 404, { "cache-control": "no-store" });
  });
  return app;
}
