import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { requirementOf } from "../../../conformance/check.ts";
import { httpChecks } from "../../../conformance/checks/index.ts";
import { ITEM_KEYS } from "../../../conformance/observe/operations.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import { notFound, serve } from "../../support/local-server.ts";
import { uuid } from "../../support/payloads.ts";
import { withToken } from "../serve.ts";

// The targets try to make a run endless, or to lead it to another origin.
const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };

/** Only checks of the feed: paging and limits have their own tests. */
const checks = httpChecks.filter((check) =>
  /^(CONV|EP|TXN|MSG|MAT|BTX)/.test(requirementOf(check)),
);

async function run(listener: RequestListener) {
  const requests: string[] = [];
  const baseUrl = await serve(
    withToken((request, response) => {
      requests.push(`${request.headers.host}${request.url}`);
      listener(request, response);
    }),
  );
  const report = await runConformance({ baseUrl, credentials, profile: "full" }, {}, checks);
  return { report, requests, host: new URL(baseUrl).host };
}

const links = (count: number, href: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ({ href: href(i) }));

test("an endless chain of links is followed up to a limit", async () => {
  let nr = 0;
  const { requests, report } = await run((_request, response) => {
    const _links = {
      self: { href: `/cards/${uuid(++nr)}` },
      messages: links(50, () => `/transaction-messages/${uuid(++nr)}`),
      card: links(50, () => `/cards/${uuid(++nr)}`),
      subaccount: links(50, () => `/somewhere/else/${++nr}`),
    };
    response.end(JSON.stringify({ id: uuid(nr), _links, _embedded: { cards: [{ _links }] } }));
  });
  expect(report.suiteErrors).toEqual([]);
  expect(requests.length).toBeLessThan(1500);
});

test("a crawl ends on endless pages with endless links", async () => {
  let nr = 0;
  const { requests, report } = await run((request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    const name = ITEM_KEYS[`GET ${path}` as keyof typeof ITEM_KEYS] ?? "nothing";
    const items = Array.from({ length: 20 }, () => {
      nr += 1;
      return { id: uuid(nr), _links: { self: { href: `${path}/${uuid(nr)}` } } };
    });
    const _links = { self: { href: path }, next: { href: `${path}?cursor=${nr}` } };
    response.end(JSON.stringify({ id: uuid(nr), _links, _embedded: { [name]: items } }));
  });
  expect(report.suiteErrors).toEqual([]);
  expect(requests.length).toBeLessThan(6000);
});

test("circular links are followed once", async () => {
  const paths = [1, 2, 3].map((nr) => `/cards/${uuid(nr)}`);
  const { requests } = await run((request, response) => {
    const cards = paths.map((href) => ({ _links: { self: { href }, card: { href: paths[0] } } }));
    if (request.url === "/cards?limit=100" || request.url?.startsWith("/cards/")) {
      return response.end(JSON.stringify({ id: uuid(1), _links: {}, _embedded: { cards } }));
    }
    return notFound(request, response);
  });
  const ofOne = requests.filter((url) => url.endsWith(paths[1] ?? "-"));
  // Once in the crawl, and at most once more for a recheck.
  expect(ofOne.length).toBeLessThan(3);
});

test("no link is followed to another origin", async () => {
  const away = ["//127.0.0.1:1/x", "http://127.0.0.1:1/cards/1", "/\\127.0.0.1:1/x", "/../x"];
  const { requests, host, report } = await run((_request, response) => {
    const _links = { self: { href: away[0] }, card: links(4, (i) => away[i] ?? "") };
    const item = {
      id: uuid(1),
      subaccountId: "../..",
      _links,
      bankData: { bankTransactionId: ".." },
    };
    const embedded = Object.fromEntries(Object.values(ITEM_KEYS).map((name) => [name, [item]]));
    response.end(JSON.stringify({ ...item, _embedded: { ...embedded, messages: [item] } }));
  });
  expect(report.suiteErrors).toEqual([]);
  expect(requests.every((url) => url.startsWith(`${host}/`))).toBe(true);
  expect(requests.filter((url) => url.endsWith("/x") || url.includes(".."))).toEqual([]);
});

test.each([
  ["nested a thousand deep", `${'{"_embedded":'.repeat(1000)}1${"}".repeat(1000)}`],
  ["arrays instead of objects", '{"_links":[1],"_embedded":[[]],"id":{"a":[]}}'],
  [
    "strings that are invalid in a URL",
    '{"id":"\\ud800","_embedded":{"subaccounts":[{"id":"\\ud800"}],"bankTransactions":[{"id":"\\ud801"}],' +
      '"transactionMatches":[{"id":"\\ud800","matches":[{"id":"\\ud801"}]}],"transactions":[{"id":"x",' +
      '"subaccountId":"\\ud800","supersededMessageIds":["\\ud800"],"_links":{"messages":' +
      '[{"href":"/transaction-messages/\\ud800"}]},"_embedded":{"messages":[{"id":"\\ud800",' +
      '"bankData":{"bankTransactionId":"\\ud800"}}]}}]}}',
  ],
  ["null members", '{"_links":null,"_embedded":{"cards":[null],"transactions":[null]},"id":null}'],
  [
    "wrong members",
    '{"_links":{"messages":7,"self":[null]},"_embedded":{"transactions":[{"_links":{"messages":{}},' +
      '"supersededMessageIds":"x","_embedded":{"messages":[7,null,{"bankData":7}]}}],' +
      '"transactionMatches":[{"matches":[null,{"id":7}]}]},"supersededMessageIds":{}}',
  ],
])("responses with %s cause no suite error", async (_what, body) => {
  const { report } = await run((_request, response) => response.end(body));
  expect(report.suiteErrors).toEqual([]);
  expect(report.summary.failed).toBeGreaterThan(0);
});
