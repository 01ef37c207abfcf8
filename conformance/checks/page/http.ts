import type { Situation } from "../../../generated/requirements.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Breach, Check, Session } from "../../check.ts";
import { breachesOf } from "../../observe/bodies.ts";
import { feedOf } from "../../observe/crawl.ts";
import { type CollectionOperation, collections, ITEM_KEYS } from "../../observe/operations.ts";
import { styleOf } from "../../observe/pages.ts";
import { pagingsOf } from "../../observe/paging.ts";
import type { ValidatedResponse } from "../../observe/validation.ts";
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
  // PAGE-10: Items are in _embedded.<resource_plural>[].
  {
    claims: ["PAGE-10.key"],
    title: "items are in _embedded under the resource's plural name",
    requires: [],
    run: async (session) => {
      const skip = await session.skip("no collection returned a page");
      const pages = (await feedOf(session)).responses.filter(isPage);
      return each(pages, skip, misplaced, ({ operation }) => [listOf(operation)]);
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

function listOf(operation: string): Situation {
  return operation.slice("GET /".length) as Situation;
}

function isPage({ operation, isJson }: ValidatedResponse): boolean {
  return isJson && collections.some((collection) => collection === operation);
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
