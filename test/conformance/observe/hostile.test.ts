import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { requirementOf } from "../../../conformance/check.ts";
import { httpChecks } from "../../../conformance/checks/index.ts";
import { ITEM_KEYS } from "../../../conformance/observe/operations.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import { notFound, serve } from "../../support/local-server.ts";
import { uuid } from "../../support/payloads.ts";
import { targetAt, withToken } from "../runs.ts";

/** Targets that try to make a crawl endless. Paging and limits have their own tests. */

const checks = httpChecks.filter((check) =>
  /^(CONV|EP|TXN|MSG|MAT|BTX)/.test(requirementOf(check)),
);

let nr = 0;
const another = () => {
  nr += 1;
  return uuid(nr);
};
const links = (href: () => string) => Array.from({ length: 50 }, () => ({ href: href() }));
const CARDS = [1, 2, 3].map((at) => `/cards/${uuid(at)}`);

test.each<[string, RequestListener, (requests: readonly string[]) => number, number]>([
  [
    "an endless chain of links is followed up to a limit",
    (_request, response) => {
      const _links = {
        self: { href: `/cards/${another()}` },
        messages: links(() => `/transaction-messages/${another()}`),
        card: links(() => `/cards/${another()}`),
        subaccount: links(() => `/somewhere/else/${another()}`),
      };
      response.end(JSON.stringify({ id: another(), _links, _embedded: { cards: [{ _links }] } }));
    },
    (requests) => requests.length,
    1_500,
  ],
  [
    "a crawl ends on endless pages with endless links",
    (request, response) => {
      const path = request.url?.split("?")[0] ?? "";
      const name = ITEM_KEYS[`GET ${path}` as keyof typeof ITEM_KEYS] ?? "nothing";
      const items = Array.from({ length: 20 }, () => {
        const id = another();
        return { id, _links: { self: { href: `${path}/${id}` } } };
      });
      const _links = { self: { href: path }, next: { href: `${path}?cursor=${another()}` } };
      response.end(JSON.stringify({ id: another(), _links, _embedded: { [name]: items } }));
    },
    (requests) => requests.length,
    6_000,
  ],
  [
    "circular links are followed once, and at most once more for a recheck",
    (request, response) => {
      const cards = CARDS.map((href) => ({ _links: { self: { href }, card: { href: CARDS[0] } } }));
      if (request.url === "/cards?limit=100" || request.url?.startsWith("/cards/")) {
        return response.end(JSON.stringify({ id: uuid(1), _links: {}, _embedded: { cards } }));
      }
      return notFound(request, response);
    },
    (requests) => requests.filter((url) => url === CARDS[1]).length,
    3,
  ],
])("%s", async (_, listener, count, limit) => {
  const requests: string[] = [];
  const baseUrl = await serve(
    withToken((request, response) => {
      requests.push(`${request.url}`);
      listener(request, response);
    }),
  );
  const report = await runConformance(targetAt(baseUrl), {}, checks);
  expect(report.suiteErrors).toEqual([]);
  expect(count(requests)).toBeGreaterThan(0);
  expect(count(requests)).toBeLessThan(limit);
});
