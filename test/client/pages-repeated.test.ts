import { describe, expect, test } from "vitest";
import { clientOf, type Reply, rejectionOf, startTestServer } from "./test-server.ts";

/** A page of the given items. */
function pageOf(cards: readonly object[], next?: string): Reply {
  const links = { self: { href: "/cards" }, ...(next !== undefined && { next: { href: next } }) };
  return { body: { _links: links, _embedded: { cards } } };
}

describe.each([false, true])("with ahead: %s", (ahead) => {
  test("iteration in offset style completes if an item is inserted", async () => {
    const ids = ["c", "b", "a"];
    const server = await startTestServer(({ url }) => {
      const offset = Number(new URL(url, "http://x").searchParams.get("offset"));
      const page = ids.slice(offset, offset + 1).map((id) => ({ id }));
      const isLast = offset + 1 >= ids.length;
      if (offset === 0) ids.unshift("d");
      const { body } = pageOf(page, isLast ? undefined : `/cards?limit=1&offset=${offset + 1}`);
      const { _links, ...others } = body as { _links: object };
      return { body: { ...others, _links: { ..._links, first: { href: "/cards?limit=1" } } } };
    });
    const walked = await clientOf(server).cards.list({ limit: 1, ahead }).toArray({ max: 99 });
    expect([...new Set(walked.map(({ id }) => id))]).toEqual(["c", "b", "a"]);
    expect(server.requests).toHaveLength(4);
  });

  test.each<[string, readonly object[]]>([
    ["unlike", [{ amount: "1" }, { amount: "2" }, { amount: "3" }]],
    ["alike", [{ amount: "1" }, { amount: "1" }, { amount: "1" }]],
  ])("pages of items without an id, all %s, are not repeats", async (_, cards) => {
    const server = await startTestServer(({ url }) => {
      const at = Number(new URL(url, "http://x").searchParams.get("cursor"));
      const next = at + 1 < cards.length ? `/cards?cursor=${at + 1}` : undefined;
      return pageOf(cards.slice(at, at + 1), next);
    });
    expect(await clientOf(server).cards.list({ ahead }).toArray({ max: 99 })).toEqual(cards);
  });
});

test.each<[string, unknown]>([
  ["{ max: NaN }", { max: Number.NaN }],
  ["{}", {}],
  ["{ max: '5' }", { max: "5" }],
])("toArray(%s) is rejected before fetching", async (_, limits) => {
  const server = await startTestServer(() => pageOf([{ id: "1" }]));
  const list = clientOf(server).cards.list();
  expect(await rejectionOf(list.toArray(limits as never))).toMatchObject({ code: "usage" });
  expect([...server.requests, ...server.exchanges]).toEqual([]);
});
