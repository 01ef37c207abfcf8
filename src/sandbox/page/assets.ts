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

type Assets = ReadonlyMap<string, string>;

/** Reads the files of a folder: the text of each by its name. */
function readAssets(folder: URL): Assets {
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES);
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
}

let pageAssets: Promise<Assets> | undefined;

/** The files of the pages, by name. From source, the first call bundles the scripts in memory. */
export function loadPageAssets(): Promise<Assets> {
  pageAssets ??= load();
  return pageAssets;
}

async function load(): Promise<Assets> {
  const files = readAssets(new URL("./assets/", import.meta.url));
  // The build puts the bundled scripts into the folder.
  if (import.meta.url.endsWith(".js")) return files;
  const { href } = new URL("../../../scripts/bundle-page.ts", import.meta.url);
  const { bundlePage } = await import(href);
  return new Map([...files, ...(await bundlePage())]);
}

/** Responds with a file, which browsers must revalidate each time. */
export function assetResponse(c: Context, assets: Assets, name = "") {
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
