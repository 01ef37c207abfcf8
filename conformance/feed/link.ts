import { valueAt } from "../../src/contract/pointer.ts";

/**
 * The link behind these members of a body; undefined where there is none that is a path (CONV-05).
 * Whether a path may be followed is the client's to say.
 */
export function linkAt(body: unknown, segments: readonly string[]): string | undefined {
  const href = valueAt(body, [...segments, "href"]);
  return isPath(href) ? href : undefined;
}

/** A link of a body. */
export interface FoundLink {
  /** Where in the body, as a JSON pointer to its `href`. */
  readonly path: string;
  /** Its name in `_links`, such as `self`. */
  readonly name: string;
  readonly href: string;
}

/** Every link of a body that is a path, wherever there is a `_links`. */
export function linksIn(body: unknown, path = ""): FoundLink[] {
  if (Array.isArray(body)) return body.flatMap((item, i) => linksIn(item, `${path}/${i}`));
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === "_links" ? namedLinks(value, `${path}/_links`) : linksIn(value, `${path}/${name}`),
  );
}

function namedLinks(links: unknown, path: string): FoundLink[] {
  return Object.entries(links ?? {}).flatMap(([name, value]) => {
    const isList = Array.isArray(value);
    const each = isList ? value : [value];
    return each.flatMap((link, i): FoundLink[] => {
      const href = valueAt(link, ["href"]);
      const at = `${path}/${name}${isList ? `/${i}` : ""}/href`;
      return isPath(href) ? [{ path: at, name, href }] : [];
    });
  });
}

function isPath(href: unknown): href is string {
  return typeof href === "string" && href.startsWith("/");
}
