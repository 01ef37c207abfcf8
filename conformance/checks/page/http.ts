import { operations } from "../../../generated/operations.ts";
import type { Situation } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { caseCheck } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { collections, ITEM_KEYS } from "../../observe/operations.ts";
import { isPage, styleOf, type Walk } from "../../observe/pages.ts";
import { laterPagesOf, pagingsOf } from "../../observe/paging.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { unlessPage } from "./facts.ts";
import { pageFacts } from "./pages.ts";
import { walkFacts } from "./walks.ts";

/** Invalid limits, and their situations. */
const INVALID: readonly (readonly [limit: string, situation?: Situation])[] = [
  ["101", "limit-101"],
  ["1000000"],
  ["99999999999999999999"],
  ["0", "limit-0"],
  ["-1", "limit-negative"],
  ["1.5", "limit-fraction"],
  ["1e2"],
  ["ten", "limit-text"],
  ["NaN"],
  [""],
];

/** Checks of lists. Without the facts, a mock can decide them. */
export const pagination: readonly Check[] = [
  // PAGE-02: A limit outside 1 to 100 or not an integer is not honoured (the status is not
  // specified; a 4xx is expected, a page of more than 100 items is a failure).
  ...INVALID.map(([limit, situation]) =>
    caseCheck(["PAGE-02.not-honoured"], {
      title: `the invalid limit '${limit}' is not honoured`,
      cases: async (session) => {
        const pages = await pagesOf(session);
        const found = await Promise.all(
          pages.map((path) => checkInvalidLimit(session, path, limit)),
        );
        return found.filter((one) => one !== undefined);
      },
      none: new Skip(
        "no collection returned a conclusive response",
        "have more than 100 resources in a list",
      ),
      find: (breaches) => breaches,
      situationsOf: () => (situation ? [situation] : []),
    }),
  ),
  // PAGE-03: The first request has neither cursor nor offset.
  caseCheck(["PAGE-03.no-position"], {
    title: "a first request without cursor and offset returns 200",
    cases: async (session) => (await walksOf(session)).filter(({ limit }) => limit === undefined),
    none: new Skip("no collection was requested"),
    find: ({ pages: [first] }) => (first ? unlessPage(first, "200") : []),
    situationsOf: (walk) => [styleOf(walk)],
  }),
  // PAGE-10: Items are in _embedded.<resource_plural>[].
  caseCheck(["PAGE-10.key"], {
    title: "items are in _embedded under the resource's plural name",
    cases: async (session) =>
      (await walksOf(session)).flatMap(({ operation, pages }) =>
        pages.filter(isPage).map(({ exchange }) => ({ operation, exchange })),
      ),
    none: new Skip("no collection returned a page"),
    find: ({ operation, exchange }) => {
      const name = ITEM_KEYS[operation];
      const listed = valueAt(exchange.response?.json, ["_embedded", name]);
      if (Array.isArray(listed)) return [];
      const [path, actual] = [`/_embedded/${name}`, describeValue(listed)];
      return [{ path, expected: "an array", actual, evidence: [exchange] }];
    },
    situationsOf: ({ operation }) => [operation.slice("GET /".length) as Situation],
  }),
  ...walkFacts,
  ...pageFacts,
];

/** Every walk through a collection. A mock gets one of each. */
async function walksOf(
  session: Session,
): Promise<readonly (Walk & { readonly limit?: unknown })[]> {
  const pagings = session.capabilities.profile === "full" ? await pagingsOf(session) : [];
  if (pagings.length > 0) return pagings.flatMap(({ walks }) => walks);
  return [...(await feedOf(session)).walks.values()];
}

/** The first page of each list, and a later one. */
async function pagesOf(session: Session): Promise<string[]> {
  const feed = await feedOf(session);
  const firsts = collections
    .filter((operation) => feed.of(operation)[0]?.isJson)
    .map((operation) => operations[operation].path);
  const later = session.capabilities.profile === "full" ? await laterPagesOf(session) : [];
  return [...firsts, ...later.map(({ path }) => path)];
}

/** Error statuses that are unrelated to the limit. */
const UNRELATED = new Set([401, 403, 404]);

/**
 * Requests a page with an invalid limit. PAGE-02 leaves the status open. It can be read as
 * requiring an error, or as allowing the limit to be ignored. Both are accepted: a 4xx, or a page
 * of at most 100 items that does not follow the limit.
 *
 * @param path The path of the page, with any query.
 * @returns Resolves to the breaches; to undefined if the response is inconclusive.
 */
export async function checkInvalidLimit(
  session: Session,
  path: string,
  limit: string,
): Promise<readonly Breach[] | undefined> {
  const exchange = await pageWith(session, path, limit);
  const { status = 0, json } = exchange.response ?? {};
  if (UNRELATED.has(status)) return undefined;
  if (status >= 400 && status < 500) return [];
  const expected = `a 4xx, or a page of at most ${maxPageSize} items`;
  const items = itemCountOf(exchange);
  // PAGE-10 reports misplaced items.
  if (status === 200 && json !== undefined && items === undefined) return undefined;
  if (status !== 200 || items === undefined) {
    return [{ expected, actual: outcomeOf(exchange), evidence: [exchange] }];
  }
  if (items > maxPageSize) return [{ expected, actual: `${items} items`, evidence: [exchange] }];
  if (limit !== "0") return revealsLimit(limit, items, exchange) ? [] : undefined;
  if (items > 0) return [];
  // An empty page of a list with items follows a limit of 0, and its walk never ends.
  const filled = await pageWith(session, path, "1");
  if (!itemCountOf(filled)) return undefined;
  const actual = "an empty page, although there are items";
  const wanted = "a 4xx, or the same page as without the limit";
  return [{ expected: wanted, actual, evidence: [exchange, filled] }];
}

function pageWith(session: Session, path: string, limit: string): Promise<Exchange> {
  const [plain = "", query = ""] = path.split("?");
  const others = query.split("&").filter((one) => one !== "" && !one.startsWith("limit="));
  const asked = `${plain}?${[...others, `limit=${limit}`].join("&")}`;
  return session.sendAuthorized({ method: "GET", path: asked });
}

/** The number of items on a page; undefined if the response is not a page. */
function itemCountOf({ response }: Exchange): number | undefined {
  const embedded = Object.values(memberOf(response?.json, "_embedded") ?? {});
  return embedded.find((value) => Array.isArray(value))?.length;
}

/**
 * Whether a page shows that the limit was not followed: it was truncated, or has items although
 * none were requested.
 */
function revealsLimit(limit: string, items: number, { response }: Exchange): boolean {
  if (Number(limit) <= maxPageSize) return items > 0;
  const total = Number(memberOf(response?.json, "totalItems") ?? 0);
  return valueAt(response?.json, ["_links", "next"]) !== undefined || total > items;
}
