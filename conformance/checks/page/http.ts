import { describeValue } from "../../../src/contract/describe.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { feedOf } from "../../observe/crawl.ts";
import { type CollectionOperation, collections, ITEM_KEYS } from "../../observe/operations.ts";
import { isPage, styleOf, type Walk } from "../../observe/pages.ts";
import { pagingsOf } from "../../observe/paging.ts";
import { outcomeOf } from "../../wire/exchange.ts";
import { eachSeen, judged } from "../shared/seen.ts";
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
      const { walks } = await feedOf(session);
      // A mock gets one request of each collection.
      const pagings = session.capabilities.profile === "full" ? await pagingsOf(session) : [];
      const bare = pagings.flatMap((paging) =>
        paging.walks.filter((one) => one.limit === undefined),
      );
      const skip = await session.skip("no collection was requested");
      return each<Walk>(
        pagings.length > 0 ? bare : walks.values(),
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
  eachSeen(["PAGE-10.key"], {
    title: "items are in _embedded under the resource's plural name",
    kinds: collections,
    judge: (page, { kind }) => {
      const name = ITEM_KEYS[kind as CollectionOperation];
      const listed = valueAt(page, ["_embedded", name]);
      const wrong = {
        path: `/_embedded/${name}`,
        expected: "an array",
        actual: describeValue(listed),
      };
      return [judged("PAGE-10.key", Array.isArray(listed), wrong)];
    },
    none: new Skip("no collection returned a page"),
  }),
  ...walkFacts,
  ...pageFacts,
];
