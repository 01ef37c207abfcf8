import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import type { Context, Handler } from "hono";
import { etag } from "hono/etag";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads the files of a folder: the text of each by its name. */
export function readAssets(folder: URL): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
}

/** Responds with a file, which browsers must revalidate each time. */
export function assetResponse(c: Context, assets: ReadonlyMap<string, string>, name = "") {
  const body = assets.get(name);
  if (body === undefined) return c.notFound();
  return c.body(body, 200, {
    "content-type": TYPES[extname(name)] ?? "",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  });
}

/** Responds with 304 if the client has the same version. */
export const withEtag: Handler = etag();
