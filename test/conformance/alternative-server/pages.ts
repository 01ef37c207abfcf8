/** The paging style of a list. */
export type Style = "offset" | "cursor";

const DEFAULT_LIMIT = 4;

/** Builds a page. Returns undefined if the request must be refused. */
export function pageOf(
  path: string,
  name: string,
  items: readonly unknown[],
  { style, exactSelf }: { readonly style: Style; readonly exactSelf: boolean },
  query: URLSearchParams,
): object | undefined {
  const requests = query.get("limit");
  // Invalid limits are ignored.
  const isLimit =
    requests !== null && /^\d{1,3}$/.test(requests) && +requests >= 1 && +requests <= 100;
  const limit = isLimit ? Number(requests) : DEFAULT_LIMIT;
  const start = startOf(style, query, items.length);
  if (start === undefined) return undefined;
  const link = (at: number) => {
    const place = style === "offset" ? `offset=${at}` : `cursor=${cursorOf(at)}`;
    return { href: `${path}?${place}&limit=${limit}` };
  };
  const lastStart = Math.max(0, Math.ceil(items.length / limit) - 1) * limit;
  const hasMore = start + limit < items.length;
  return {
    // The interface allows a self link with or without the page's position.
    _links: {
      self: { ...(exactSelf ? link(start) : { href: path }), templated: false },
      ...(hasMore && { next: { ...link(start + limit), title: "more" } }),
      ...(style === "offset" && {
        first: link(0),
        last: link(lastStart),
        ...(start > 0 && { prev: link(Math.max(0, start - limit)) }),
      }),
    },
    _embedded: { [name]: items.slice(start, start + limit) },
    ...(style === "offset" && { totalItems: items.length, page: Math.floor(start / limit) }),
  };
}

function startOf(style: Style, query: URLSearchParams, count: number): number | undefined {
  if (style === "offset") {
    const offset = query.get("offset") ?? "0";
    return /^\d+$/.test(offset) ? Math.min(Number(offset), count) : undefined;
  }
  const cursor = query.get("cursor");
  if (cursor === null) return 0;
  const [, at] = /^at:(\d+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  return at === undefined ? undefined : Number(at);
}

const cursorOf = (at: number) => Buffer.from(`at:${at}`).toString("base64url");
