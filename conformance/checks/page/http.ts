import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Breach, Check, Session, SeveralClaims } from "../../check.ts";
import { breachesOf } from "../../observe/bodies.ts";
import { feedOf } from "../../observe/crawl.ts";
import { type CollectionOperation, collections, ITEM_KEYS } from "../../observe/operations.ts";
import { isOffset, itemsOf, placeOf, styleOf } from "../../observe/pages.ts";
import { pagingsOf } from "../../observe/paging.ts";
import { type ValidatedResponse, validatedResponse } from "../../observe/validation.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import { invalidLimits } from "./limits.ts";
import { pageFacts } from "./pages.ts";
import { walkFacts } from "./walks.ts";

export const pagination: readonly Check[] = [
  ...invalidLimits,
  // PAGE-03: The first request has neither cursor nor offset.
  {
    claims: ["PAGE-03.no-position"],
    title: "a first request without cursor and offset returns 200",
    requires: [],
    run: async (session) => {
      const skip = await session.skip("no collection was requested");
      return each(
        await bareRequestsOf(session),
        skip,
        ({ exchange }) => {
          if (exchange.response?.status === 200 && exchange.response.json !== undefined) return [];
          return [{ expected: "200", actual: outcomeOf(exchange), evidence: [exchange] }];
        },
        ({ style }) => [style],
      );
    },
  },
  // PAGE-04: _links.self is always present.
  inPages(["PAGE-04.self"], "_links.self is always present"),
  // PAGE-06: Offset style has _links.first and _links.last.
  inPages(
    ["PAGE-06.first", "PAGE-06.last"],
    "a page in offset style has _links.first and _links.last",
    isOffsetPage,
  ),
  // PAGE-08: Offset style has totalItems, the number of resources matching the filters.
  inPages(["PAGE-08.present"], "a page in offset style has totalItems", isOffsetPage),
  // PAGE-09: first, last and prev belong to offset style only: cursor style has none.
  inPages(
    ["PAGE-09.none"],
    "a page in cursor style has no first, last or prev",
    // These links make a page of another list one in offset style.
    ({ operation }) => operation === "GET /subaccounts",
  ),
  // PAGE-10: Items are in _embedded.<resource_plural>[].
  {
    claims: ["PAGE-10.key"],
    title: "items are in _embedded under the resource's plural name",
    requires: [],
    run: async (session) => {
      const skip = await session.skip("no collection returned a page");
      return each(await validatedPages(session), skip, misplaced, ({ operation }) => [
        listOf(operation),
      ]);
    },
  },
  ...walkFacts,
  ...pageFacts,
];

interface BareRequest {
  readonly exchange: Exchange;
  readonly style: Situation;
}

/** The requests without cursor, offset and limit. A mock gets one of each collection. */
async function bareRequestsOf(session: Session): Promise<readonly BareRequest[]> {
  const { walks } = await feedOf(session);
  const pagings = session.capabilities.profile === "full" ? await pagingsOf(session) : [];
  const bare = pagings.map(({ walks }) => walks.find(({ limit }) => limit === undefined));
  return (pagings.length > 0 ? bare : [...walks.values()]).flatMap((walk) =>
    walk?.pages[0] ? [{ exchange: walk.pages[0].exchange, style: styleOf(walk) }] : [],
  );
}

/** Reports the contract's findings of some claims in pages. */
function inPages(
  claims: readonly [ClaimId, ...ClaimId[]],
  title: string,
  shows: (page: ValidatedResponse) => boolean = () => true,
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: [],
    run: async (session) => {
      const skip = await session.skip("no page has the field");
      const pages = (await validatedPages(session)).filter(shows);
      const places = await placesOf(session);
      return each(
        pages,
        skip,
        ({ findings, exchange }) =>
          breachesOf(findings, exchange).filter(({ claim }) => claims.includes(claim)),
        ({ exchange }) => places.get(exchange) ?? [],
      );
    },
  };
}

/** The position of each page in its walk. A mock has only single pages. */
async function placesOf(session: Session): Promise<ReadonlyMap<Exchange, Situation[]>> {
  if (session.capabilities.profile !== "full") return new Map();
  const walks = (await pagingsOf(session)).flatMap(({ walks }) => walks);
  return new Map(
    walks.flatMap((walk) =>
      walk.pages.map((page) => [page.exchange, [placeOf(walk, page)]] as const),
    ),
  );
}

/** Validates every page of every walk against the contract. */
function validatedPages(session: Session): Promise<readonly ValidatedResponse[]> {
  return session.share("validated pages", async (shared) => {
    const known = (await feedOf(shared)).responses.filter(isOfCollection);
    const pagings = shared.capabilities.profile === "full" ? await pagingsOf(shared) : [];
    const more = pagings.flatMap(({ operation, walks }) =>
      // Skip the first walk: `known` contains it.
      walks
        .slice(1)
        .flatMap(({ pages }) =>
          pages.map(({ exchange }) => validatedResponse(operation, exchange, shared.capabilities)),
        ),
    );
    return [...known, ...more].filter(({ isJson }) => isJson);
  });
}

function listOf(operation: string): Situation {
  return operation.slice("GET /".length) as Situation;
}

function isOfCollection({ operation }: ValidatedResponse): boolean {
  return collections.some((collection) => collection === operation);
}

/** The contract's findings on the list, or a breach if the list is missing. */
function misplaced({ operation, exchange, findings }: ValidatedResponse): Breach[] {
  const decided = breachesOf(findings, exchange).filter(({ claim }) => claim === "PAGE-10.key");
  const name = ITEM_KEYS[operation as CollectionOperation];
  if (decided.length > 0 || Array.isArray(valueAt(exchange.response?.json, ["_embedded", name]))) {
    return decided;
  }
  const path = `/_embedded/${name}`;
  return [{ path, expected: "an array", actual: "nothing", evidence: [exchange] }];
}

function isOffsetPage({ operation, exchange }: ValidatedResponse): boolean {
  const collection = operation as CollectionOperation;
  return isOffset(collection, { exchange, items: itemsOf(collection, exchange) });
}
