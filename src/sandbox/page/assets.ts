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

/** Reads the files of a folder, once: the text of each by its name. */
export function readAssets(folder: URL): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
}

/** Answers with a file. It is asked for anew each time, and sent again only where it changed. */
export function assetResponse(c: Context, assets: ReadonlyMap<string, string>, name = "") {
  const body = assets.get(name);
  if (body === undefined) return c.notFound();
  return c.body(body, 200, {
    "content-type": TYPES[extname(name)] ?? "",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  });
}

/** Answers 304 to who has the same already. */
export const withEtag: Handler = etag();
