import type { OperationKey } from "../../generated/operations.ts";
import { memberOf } from "../../src/contract/place.ts";
import type { AnsweringOperation } from "../../src/contract/validate.ts";
import { type Breach, type Check, Unseen } from "../check.ts";
import { type Exchange, outcomeOf } from "../exchange.ts";
import type { Session } from "../session.ts";
import { shape } from "../shape.ts";
import { readOperations } from "../survey.ts";

const MOST_ITEMS = 100;

/** The links that belong to offset style only. */
const OFFSET_LINKS = ["first", "last", "prev"];

const collections = readOperations().filter((operation) => !operation.includes("{"));

export const pagination: readonly Check[] = [
  ...collections.flatMap((operation) =>
    ["101", "1000000", "0", "-1", "ten"].map((limit) => refusesLimit(operation, limit)),
  ),
  {
    requirement: "PAGE-03",
    title: "a first request with neither cursor nor offset is answered 200",
    needs: [],
    run: async (session) =>
      (await firstPages(session))
        .filter(({ isJson }) => !isJson)
        .map(({ exchange }) => ({ expected: "200", actual: outcomeOf(exchange), exchange })),
  },
  shape("PAGE-04", "_links.self is always there"),
  shape("PAGE-06", "a collection in offset style carries _links.first and _links.last"),
  {
    requirement: "PAGE-06",
    title: "a page with totalItems carries _links.first and _links.last",
    needs: [],
    run: async (session) => {
      const pages = (await firstPages(session)).filter(({ exchange }) => isOffsetStyle(exchange));
      if (pages.length === 0) return new Unseen("no collection is in offset style");
      return pages.flatMap(({ exchange }) => withLinks(exchange, ["first", "last"]));
    },
  },
  {
    requirement: "PAGE-07",
    title: "the first page in offset style has no _links.prev",
    needs: [],
    run: async (session) => {
      const pages = (await firstPages(session)).filter(({ exchange }) => isOffsetStyle(exchange));
      if (pages.length === 0) return new Unseen("no collection is in offset style");
      return pages.flatMap(({ exchange }) => withoutLinks(exchange, ["prev"]));
    },
  },
  {
    requirement: "PAGE-07",
    title: "a later page in offset style has _links.prev",
    needs: ["state"],
    run: async (session) => {
      const [page] = (await firstPages(session)).filter(({ exchange }) => isOffsetStyle(exchange));
      const next = page && linkOf(page.exchange, "next");
      if (typeof next !== "string" || !next.startsWith("/") || next.startsWith("//")) {
        return new Unseen("no collection in offset style has a second page");
      }
      const exchange = await session.sendAuthorized({ method: "GET", path: next });
      return withLinks(exchange, ["prev"]);
    },
  },
  shape("PAGE-08", "a collection in offset style carries totalItems"),
  {
    requirement: "PAGE-08",
    title: "a page with a first, last or prev link carries totalItems",
    needs: [],
    run: async (session) => {
      const pages = (await firstPages(session)).filter(
        ({ operation, exchange }) =>
          // In cursor style such a link is PAGE-09's.
          operation !== "GET /subaccounts" &&
          OFFSET_LINKS.some((name) => linkOf(exchange, name) !== undefined),
      );
      if (pages.length === 0) return new Unseen("no collection is in offset style");
      return pages
        .filter(({ exchange }) => !isOffsetStyle(exchange))
        .map(({ exchange }) => {
          return { path: "/totalItems", expected: "integer", actual: "nothing", exchange };
        });
    },
  },
  {
    requirement: "PAGE-09",
    title: "cursor style has none of first, last and prev",
    needs: [],
    run: async (session) => {
      const subaccounts = (await session.survey()).get("GET /subaccounts");
      if (!subaccounts?.isJson) return new Unseen("GET /subaccounts gave no page");
      return withoutLinks(subaccounts.exchange, OFFSET_LINKS);
    },
  },
  shape("PAGE-10", "items stand in _embedded under the resource's plural name"),
];

async function firstPages(session: Session) {
  const answers = await session.survey();
  return [...answers.values()].filter(({ operation }) =>
    (collections as readonly AnsweringOperation[]).includes(operation),
  );
}

/** Reading 13: a collection whose style is not shown tells it by what its page carries. */
function isOffsetStyle({ response }: Exchange): boolean {
  return memberOf(response?.json, "totalItems") !== undefined;
}

function linkOf({ response }: Exchange, name: string): unknown {
  return ["_links", name, "href"].reduce<unknown>(memberOf, response?.json);
}

function withLinks(exchange: Exchange, names: readonly string[]): Breach[] {
  return names
    .filter((name) => linkOf(exchange, name) === undefined)
    .map((name) => {
      return { path: `/_links/${name}`, expected: "a link", actual: "nothing", exchange };
    });
}

function withoutLinks(exchange: Exchange, names: readonly string[]): Breach[] {
  return names
    .filter((name) => linkOf(exchange, name) !== undefined)
    .map((name) => {
      return {
        path: `/_links/${name}`,
        expected: "no such link",
        actual: "one is there",
        exchange,
      };
    });
}

/**
 * PAGE-02 leaves the status open. Two readings: any refusal will do, or a page cut to what is
 * allowed will do too. We take both: a 4xx, or a page of no more than 100 items.
 */
function refusesLimit(operation: OperationKey & `GET ${string}`, limit: string): Check {
  return {
    requirement: "PAGE-02",
    title: `${operation}?limit=${limit} is not honoured`,
    needs: [],
    run: async (session) => {
      const path = `${operation.slice("GET ".length)}?limit=${limit}`;
      const exchange = await session.sendAuthorized({ method: "GET", path });
      const { status = 0, json } = exchange.response ?? {};
      if (status >= 400 && status < 500) return [];
      const embedded = Object.values(memberOf(json, "_embedded") ?? {});
      const items = embedded.find((value) => Array.isArray(value))?.length;
      if (status === 200 && items !== undefined && items <= MOST_ITEMS) return [];
      const expected = `a 4xx, or at most ${MOST_ITEMS} items`;
      const actual = items === undefined ? outcomeOf(exchange) : `${items} items`;
      return [{ expected, actual, exchange }];
    },
  };
}
