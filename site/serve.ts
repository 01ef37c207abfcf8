import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type HttpBindings, serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { compress } from "hono/compress";
import type { Sandbox } from "../src/sandbox/index.ts";

/** A running server of the site. */
export interface SiteServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Headers that describe the connection of the reader, not the request to the sandbox. */
const OWN_HEADERS = ["host", "origin", "connection", "content-length"];

/**
 * Serves a built site on loopback. The paths of the sandbox are forwarded to it, so that the
 * OpenAPI page can call it from its own origin.
 *
 * @throws if the port is in use
 */
export async function serveSite(root: string, port: number, sandbox: Sandbox): Promise<SiteServer> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(compress());
  // The sandbox recognizes pages of other sites by these headers, which are not forwarded.
  app.use(async ({ req, text }, next) => {
    const host = req.header("host") ?? "";
    const origin = req.header("origin") ?? `http://${host}`;
    const isOwn = /^(127\.0\.0\.1|localhost):\d+$/.test(host) && origin === `http://${host}`;
    return isOwn ? next() : text("the site accepts only requests of its own pages\n", 403);
  });
  app.use(serveStatic({ root }));
  // Other addresses that a reader opens are missing pages; programs call the sandbox.
  app.use(async ({ req, body }, next) => {
    const isPage = req.header("accept")?.includes("text/html") && !req.path.startsWith("/_sandbox");
    if (!isPage) return next();
    return body(await readFile(join(root, "404.html")), 404, { "content-type": "text/html" });
  });
  app.all("*", ({ req }) => {
    const { pathname, search } = new URL(req.url);
    const headers = new Headers(req.raw.headers);
    for (const name of OWN_HEADERS) headers.delete(name);
    // A path may start with two slashes, which would be another host if it were resolved.
    return fetch(`${sandbox.baseUrl}${pathname}${search}`, {
      method: req.method,
      headers,
      body: ["GET", "HEAD"].includes(req.method) ? null : req.raw.body,
      duplex: "half",
      redirect: "manual",
    } as RequestInit);
  });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) =>
      resolve({
        url: `http://127.0.0.1:${address.port}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            // Event streams would stay open.
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      }),
    );
    server.on("error", reject);
  });
}
