import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleSize, CLIENT_PARTS, clientSize } from "../../scripts/bundle-size.ts";
import { validateResponse } from "../../src/contract/index.ts";
import { ROOT } from "../../test/document.ts";
import { clients } from "../client/clients.ts";
import {
  ACCESS_TOKEN,
  CARDS_A_PAGE,
  PAGES,
  pageLink,
  pageText,
  tokenText,
  transactionTexts,
} from "../client/responses.ts";

const [[id, text] = ["", ""]] = transactionTexts;
const seen: (string | undefined)[] = [];
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer(({ url, headers }, response) => {
    seen.push(headers.authorization);
    response.setHeader("content-type", "application/json");
    response.end(url === `/transactions/${id}` ? text : tokenText);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(Object.entries(clients))(
  "%s sends the token and gets the transaction",
  async (_, open) => {
    const get = await open(origin);
    expect(await get(id)).toEqual(JSON.parse(text));
    expect(seen.at(-1)).toBe(`Bearer ${ACCESS_TOKEN}`);
  },
);

test("the responses of the service are valid", () => {
  const findings = [...transactionTexts.values()].flatMap(
    (one) => validateResponse("GET /transactions/{transactionId}", 200, JSON.parse(one)).findings,
  );
  const pages = [0, 1, PAGES - 1].flatMap((page) => {
    const { searchParams } = new URL(pageLink("offset", page), origin);
    return validateResponse("GET /cards", 200, JSON.parse(pageText(searchParams))).findings;
  });
  expect([...findings, ...pages].filter(({ level }) => level === "error")).toEqual([]);
  expect(new Set(transactionTexts.keys()).size).toBe(256);
  expect(text.length).toBe(2713);
  expect(ACCESS_TOKEN.length).toBe(800);
});

test.each(["offset", "cursor"] as const)("iterating by %s returns every card once", (style) => {
  const cards = new Set<string>();
  let link: string | undefined = pageLink(style, 0);
  let pages = 0;
  while (link !== undefined && pages <= PAGES) {
    const page = JSON.parse(pageText(new URL(link, origin).searchParams));
    for (const card of page._embedded.cards) cards.add(card.id);
    link = page._links.next?.href;
    pages += 1;
  }
  expect({ pages, cards: cards.size }).toEqual({ pages: PAGES, cards: PAGES * CARDS_A_PAGE });
});

test("the size of a bundle grows with its content", async () => {
  const small = await bundleSize("export const a = 1;", ROOT);
  expect(small.minified).toBeLessThan(40);
  for (const part of Object.keys(CLIENT_PARTS) as (keyof typeof CLIENT_PARTS)[]) {
    expect((await clientSize([part])).gzipped).toBeGreaterThan(small.gzipped);
  }
  const clientOnly = await clientSize(["txfeed/client"]);
  const more = await clientSize(["txfeed/client", "txfeed/client/sdk"]);
  expect(more.minified).toBeGreaterThan(clientOnly.minified);
  // Validation is loaded on demand. With it, the bundle would be five times as large.
  expect(clientOnly.minified).toBeLessThan(40_000);
});
