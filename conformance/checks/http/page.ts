import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { type Breach, type Check, once } from "../../check.ts";
import type { Answer } from "../../feed/answer.ts";
import { feedOf } from "../../feed/crawl.ts";
import { linkAt } from "../../feed/link.ts";
import { collections } from "../../feed/operations.ts";
import { refusesLimit } from "../../limit.ts";
import type { Session } from "../../session.ts";
import { inAnswers } from "../../shape.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";

/** The links that belong to offset style only. */
const OFFSET_LINKS = ["first", "last", "prev"];

export const pagination: readonly Check[] = [
  ...collections.flatMap((operation) =>
    ["101", "1000000", "0", "-1", "ten"].map((limit) => refusesLimit(operation, limit)),
  ),
  {
    requirement: "PAGE-03",
    title: "a first request with neither cursor nor offset is answered 200",
    needs: [],
    run: async (session) => {
      const pages = await firstPages(session);
      if (pages.length === 0) return session.unseen("no collection could be asked");
      return once(
        pages
          .filter(({ isJson }) => !isJson)
          .map(({ exchange }) => ({
            expected: "200",
            actual: outcomeOf(exchange),
            shownBy: [exchange],
          })),
      );
    },
  },
  inAnswers("PAGE-04", "_links.self is always there"),
  inAnswers("PAGE-06", "GET /cards carries _links.first and _links.last"),
  {
    requirement: "PAGE-06",
    title: "a page with totalItems carries _links.first and _links.last",
    needs: [],
    run: async (session) => {
      const pages = await eitherStylePages(session);
      if (pages.length === 0) return session.unseen("no collection could be asked");
      return once(
        pages
          .filter(({ exchange }) => hasTotal(exchange))
          .flatMap(({ exchange }) => withLinks(exchange, ["first", "last"])),
      );
    },
  },
  {
    requirement: "PAGE-07",
    title: "the first page in offset style has no _links.prev",
    needs: [],
    run: async (session) => {
      const pages = await offsetPages(session);
      if (pages.length === 0) return session.unseen("no collection is in offset style");
      return once(pages.flatMap(({ exchange }) => withoutLinks(exchange, ["prev"])));
    },
  },
  {
    requirement: "PAGE-07",
    title: "a later page in offset style has _links.prev",
    needs: ["state"],
    run: async (session) => {
      const [page] = await offsetPages(session);
      const next = linkAt(page?.exchange.response?.json, ["_links", "next"]);
      if (next === undefined) {
        return session.unseen("no collection in offset style links to a second page");
      }
      const exchange = await session.follow(next);
      if (exchange.response?.status !== 200) {
        return session.unseen(`the second page answered ${outcomeOf(exchange)}`);
      }
      return once(withLinks(exchange, ["prev"]));
    },
  },
  inAnswers("PAGE-08", "GET /cards carries totalItems"),
  {
    requirement: "PAGE-08",
    title: "a page with a first, last or prev link carries totalItems",
    needs: [],
    run: async (session) => {
      const pages = await eitherStylePages(session);
      if (pages.length === 0) return session.unseen("no collection could be asked");
      return once(
        pages
          .filter(({ exchange }) =>
            OFFSET_LINKS.some((name) => linkOf(exchange, name) !== undefined),
          )
          .filter(({ exchange }) => !hasTotal(exchange))
          .map(({ exchange }) => {
            return {
              path: "/totalItems",
              expected: "integer",
              actual: "nothing",
              shownBy: [exchange],
            };
          }),
      );
    },
  },
  {
    requirement: "PAGE-09",
    title: "GET /subaccounts has none of _links.first, last and prev",
    needs: [],
    run: async (session) => {
      const [subaccounts] = (await feedOf(session)).of("GET /subaccounts");
      if (!subaccounts?.isJson) return session.unseen("GET /subaccounts gave no page");
      return once(withoutLinks(subaccounts.exchange, OFFSET_LINKS));
    },
  },
  inAnswers("PAGE-10", "items stand in _embedded under the resource's plural name"),
];

async function firstPages(session: Session): Promise<Answer[]> {
  const feed = await feedOf(session);
  return collections.flatMap((operation) => feed.of(operation).slice(0, 1));
}

/** The collections whose style is not shown: what their page carries tells it (reading 13). */
async function eitherStylePages(session: Session): Promise<Answer[]> {
  const shown = new Set<string>(["GET /subaccounts", "GET /cards"]);
  return (await firstPages(session)).filter(({ operation }) => !shown.has(operation));
}

async function offsetPages(session: Session): Promise<Answer[]> {
  return (await firstPages(session)).filter(
    ({ operation, exchange, isJson }) =>
      isJson && operation !== "GET /subaccounts" && hasTotal(exchange),
  );
}

function hasTotal({ response }: Exchange): boolean {
  return memberOf(response?.json, "totalItems") !== undefined;
}

function linkOf({ response }: Exchange, name: string): unknown {
  return valueAt(response?.json, ["_links", name, "href"]);
}

function withLinks(exchange: Exchange, names: readonly string[]): Breach[] {
  return names
    .filter((name) => linkOf(exchange, name) === undefined)
    .map((name) => {
      return {
        path: `/_links/${name}`,
        expected: "a link",
        actual: "nothing",
        shownBy: [exchange],
      };
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
        shownBy: [exchange],
      };
    });
}
