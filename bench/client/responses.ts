import { measuredPayloads } from "../payloads.ts";
import { template } from "../template.ts";

/** The number of transactions of the service. */
const TRANSACTIONS = 256;

const bodyText = template(JSON.stringify(measuredPayloads["transaction.updated"].body));

/** The transactions by id, 2.7 kB each. */
export const transactionTexts: ReadonlyMap<string, string> = new Map(
  Array.from({ length: TRANSACTIONS }, (_, n) => {
    const text = bodyText(n);
    return [(JSON.parse(text) as { id: string }).id, text] as const;
  }),
);

/** 800 characters: the size of a signed token with a few claims. */
export const ACCESS_TOKEN = [
  "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9",
  "c".repeat(420),
  "s".repeat(342),
].join(".");

/** AUTH-02: the response of the token endpoint. */
export const tokenText = JSON.stringify({
  access_token: ACCESS_TOKEN,
  expires_in: 300,
  token_type: "Bearer",
});

/** The number of pages of cards, and of cards per page. */
export const PAGES = 1000;
export const CARDS_A_PAGE = 100;

/** The style of page links (PAGE-14). */
export type PageStyle = "offset" | "cursor";

/** Returns the link to a page of cards. */
export function pageLink(style: PageStyle, page: number): string {
  const cursor = Buffer.from(`card-${page * CARDS_A_PAGE}`).toString("base64url");
  const place = style === "offset" ? `offset=${page * CARDS_A_PAGE}` : `cursor=${cursor}`;
  return `/cards?${place}&limit=${CARDS_A_PAGE}`;
}

/** Generates the requested page. */
export function pageText(query: URLSearchParams): string {
  const cursor = query.get("cursor");
  const style = cursor === null ? "offset" : "cursor";
  const text = cursor === null ? query.get("offset") : Buffer.from(cursor, "base64url").toString();
  const page = Number(/\d+$/.exec(text ?? "0")?.[0]) / CARDS_A_PAGE;
  const link = (to: number) => ({ href: pageLink(style, to) });
  const cards = Array.from({ length: CARDS_A_PAGE }, (_, at) => {
    const number = (page * CARDS_A_PAGE + at).toString(16).padStart(12, "0");
    const id = `bc806344-066c-4947-b770-${number}`;
    return { id, _links: { self: { href: `/cards/${id}` } } };
  });
  const links = {
    self: link(page),
    ...(style === "offset" && { first: link(0), last: link(PAGES - 1) }),
    ...(style === "offset" && page > 0 && { prev: link(page - 1) }),
    ...(page < PAGES - 1 && { next: link(page + 1) }),
  };
  const total = style === "offset" ? { totalItems: PAGES * CARDS_A_PAGE } : {};
  return JSON.stringify({ _links: links, _embedded: { cards }, ...total });
}
