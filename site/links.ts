import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "./page.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Attributes with an address, in HTML whose attributes are quoted. */
const ADDRESS = /<(?:a|link|script|img|source)\b[^>]*?\s(?:href|src)="([^"]*)"/g;
const ANCHOR = /\sid="([^"]*)"/g;

/**
 * Finds the links of a built site whose target does not exist: a page, an anchor, a file, or a file
 * of the repository. Addresses of other sites are not requested.
 *
 * @param base The path below which the site is served.
 * @param repository The address of the repository, if it has one.
 * @returns A line for each dead link.
 */
export function deadLinks(out: string, base: string, repository = REPOSITORY): string[] {
  const files = globSync("**/*.html", { cwd: out }).map((file) => file.replaceAll("\\", "/"));
  const pages = new Map(files.map((file) => [file, readFileSync(join(out, file), "utf8")]));
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string) => {
    const known = anchors.get(file) ?? new Set(matches(pages.get(file) ?? "", ANCHOR));
    anchors.set(file, known);
    return known;
  };
  const isDead = (from: string, address: string): boolean => {
    if (repository !== undefined && address.startsWith(`${repository}/blob/main/`)) {
      const file = address.slice(`${repository}/blob/main/`.length).replace(/#.*$/, "");
      return !existsSync(join(ROOT, decodeURI(file)));
    }
    if (/^[a-z]+:/.test(address)) return false;
    const { host, pathname, hash } = new URL(address, `http://site${base}${from}`);
    if (host !== "site" || !pathname.startsWith(base)) return true;
    const path = decodeURI(pathname.slice(base.length));
    const file = path === "" || path.endsWith("/") ? posix.join(path, "index.html") : path;
    if (!pages.has(file)) return !existsSync(join(out, file));
    return hash.length > 1 && !anchorsOf(file).has(decodeURIComponent(hash.slice(1)));
  };
  return [...pages].flatMap(([file, html]) =>
    [...new Set(matches(html, ADDRESS))]
      .map((address) => address.replaceAll("&amp;", "&").replaceAll("&#38;", "&"))
      .filter((address) => isDead(file, address))
      .map((address) => `${file}: ${address}`),
  );
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}
