import { describe, expect, test } from "vitest";
import { camelCase, idsOf, LISTS, startTestServer } from "./test-server.ts";

const CURSOR_LISTS = LISTS.filter((kind) => kind !== "cards");

describe.each(CURSOR_LISTS)("the cursor style of /%s", (kind) => {
  test("PAGE-09: omits first, last, prev and totalItems", async () => {
    const { put, ask } = await startTestServer();
    for (let count = 0; count < 5; count += 1) put(kind);
    const first = (await ask("GET", `/${kind}?limit=2`)).json;
    const second = (await ask("GET", first._links.next.href)).json;
    const third = (await ask("GET", second._links.next.href)).json;
    expect(Object.keys(first._links)).toEqual(["self", "next"]);
    expect(Object.keys(second._links)).toEqual(["self", "next"]);
    expect(Object.keys(third._links)).toEqual(["self"]);
    for (const page of [first, second, third]) {
      expect(Object.keys(page)).toEqual(["_links", "_embedded"]);
    }
  });

  test("PAGE-11: continues after the item of its cursor is gone", async () => {
    const { put, ask, engine } = await startTestServer();
    const ids = [put(kind), put(kind), put(kind)];
    const { next } = (await ask("GET", `/${kind}?limit=1`)).json._links;
    engine.commit(({ store }) => store.remove(kind, ids[0] ?? ""));
    const { _embedded: embedded } = (await ask("GET", next.href)).json;
    expect(idsOf(embedded[camelCase(kind)])).toEqual([ids[1]]);
  });

  test("refuses a modified, truncated or invented cursor", async () => {
    const { put, ask, token, send, dump } = await startTestServer();
    for (let count = 0; count < 3; count += 1) put(kind);
    const { href } = (await ask("GET", `/${kind}?limit=1`)).json._links.next;
    const cursor = /cursor=([\w-]+)/.exec(href)?.[1] ?? "";
    const authorization = `Bearer ${await token()}`;
    const before = dump();
    const wrong = [
      "",
      "0",
      "1",
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}%3D`,
    ];
    wrong.push(...["%00", "%ZZ", "%FF", "null", "..", cursor.toLowerCase(), `%20${cursor}`]);
    for (let at = 0; at < cursor.length; at += 1) {
      for (const letter of ["A", "B", "x", "-"]) {
        if (letter !== cursor[at]) wrong.push(cursor.slice(0, at) + letter + cursor.slice(at + 1));
      }
    }
    for (const one of wrong) {
      const path = `/${kind}?cursor=${one}&limit=1`;
      const { status, headers } = await send("GET", path, { headers: { authorization } });
      expect([one, status]).toEqual([one, 400]);
      expect(headers["content-type"]).toBe("application/problem+json");
    }
    expect(dump()).toBe(before);
  });

  test("AUTH-12: refuses the cursor of another list, account or sandbox", async () => {
    const [here, otherServer] = [await startTestServer(), await startTestServer()];
    const other = kind === "subaccounts" ? "transactions" : "subaccounts";
    for (let count = 0; count < 2; count += 1) {
      for (const { put } of [here, otherServer]) {
        put(kind);
        put(other);
        put(kind, { account: here.accounts[1] });
      }
    }
    const { href } = (await here.ask("GET", `/${kind}?limit=1`)).json._links.next;
    expect((await here.ask("GET", href)).status).toBe(200);
    expect((await here.ask("GET", href.replace(kind, other))).status).toBe(400);
    expect((await here.ask("GET", href, {}, here.accounts[1])).status).toBe(400);
    expect((await otherServer.ask("GET", href)).status).toBe(400);
  });

  test("accepts a cursor with another limit", async () => {
    const { put, ask } = await startTestServer();
    const ids = Array.from({ length: 5 }, () => put(kind));
    const { href } = (await ask("GET", `/${kind}?limit=1`)).json._links.next;
    const page = (await ask("GET", href.replace("limit=1", "limit=3"))).json;
    expect(idsOf(page._embedded[camelCase(kind)])).toEqual(ids.slice(1, 4));
    expect(page._links.next.href).toMatch(/&limit=3$/);
  });

  test("refuses an offset", async () => {
    const { ask } = await startTestServer();
    for (const offset of ["0", "5", "-1", "x"]) {
      expect((await ask("GET", `/${kind}?offset=${offset}`)).status).toBe(400);
    }
  });
});
