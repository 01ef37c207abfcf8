import type { Situation } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Check, Session } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { ITEM_KEYS } from "../../observe/operations.ts";
import { isPage, styleOf, type Walk } from "../../observe/pages.ts";
import { type LimitedWalk, pagingsOf } from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";
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
      const bare = (await walksOf(session)).filter(({ limit }) => limit === undefined);
      const skip = await session.skip("no collection was requested");
      return each<Walk>(
        bare,
        skip,
        ({ pages: [first] }) => {
          if (!first || isPage(first)) return [];
          const { exchange } = first;
          return [{ expected: "200", actual: outcomeOf(exchange), evidence: [exchange] }];
        },
        (walk) => [styleOf(walk)],
      );
    },
  },
  // PAGE-10: Items are in _embedded.<resource_plural>[].
  {
    claims: ["PAGE-10.key"],
    title: "items are in _embedded under the resource's plural name",
    requires: [],
    run: async (session) => {
      const pages = (await walksOf(session)).flatMap(({ operation, pages }) =>
        pages.filter(isPage).map(({ exchange }) => ({ operation, exchange })),
      );
      const skip = await session.skip("no collection returned a page");
      return each(
        pages,
        skip,
        ({ operation, exchange }) => {
          const name = ITEM_KEYS[operation];
          const listed = valueAt(exchange.response?.json, ["_embedded", name]);
          if (Array.isArray(listed)) return [];
          const [path, actual] = [`/_embedded/${name}`, describeValue(listed)];
          return [{ path, expected: "an array", actual, evidence: [exchange] }];
        },
        ({ operation }) => [operation.slice("GET /".length) as Situation],
      );
    },
  },
  ...walkFacts,
  ...pageFacts,
];

/** Every walk through a collection. A mock gets one of each. */
async function walksOf(session: Session): Promise<readonly (Walk & Partial<LimitedWalk>)[]> {
  const pagings = session.capabilities.profile === "full" ? await pagingsOf(session) : [];
  if (pagings.length > 0) return pagings.flatMap(({ walks }) => walks);
  return [...(await feedOf(session)).walks.values()];
}
