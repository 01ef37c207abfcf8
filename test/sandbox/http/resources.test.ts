import { describe, expect, test } from "vitest";
import type { ApiFault } from "../../../src/sandbox/control/control.ts";
import type { Kind } from "../../../src/world/resources.ts";
import { verbs } from "../../../src/world/verbs/index.ts";
import {
  AS_JSON,
  FORM,
  formOf,
  pathOf,
  startTestServer,
  type TestServer,
  tokenPath,
  UNKNOWN_ID,
} from "../test-server.ts";

describe.each<[requirement: string, kind: Kind]>([
  ["EP-04", "transactions"],
  ["EP-05", "transaction-messages"],
  ["EP-10", "bank-transactions"],
  ["EP-12", "transaction-matches"],
  ["EP-13", "cards"],
  ["EP-13", "card-subscriptions"],
  ["EP-13", "network-bulk-feeds"],
  ["EP-13", "subaccounts"],
  ["EP-13", "bank-accounts"],
  ["CONV-09", "bank-links"],
])("%s: GET of one of %s", (_, kind) => {
  test("returns the stored body unchanged", async () => {
    const { put, ask, engine, service } = await startTestServer();
    const id = put(kind);
    expect(await ask("GET", pathOf(kind, id))).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      text: JSON.stringify(engine.store.find(kind, id).body),
    });
    expect(service.violations).toEqual([]);
  });

  test("AUTH-12: is the same 404 for another account, an unknown id and another kind", async () => {
    const { put, ask, accounts } = await startTestServer();
    const theirs = put(kind, { account: accounts[1] });
    const other = put(kind === "cards" ? "transactions" : "cards");
    for (const id of [theirs, UNKNOWN_ID, other]) {
      const { status, json } = await ask("GET", pathOf(kind, id));
      expect([status, json.detail.replace(id, "ID")]).toEqual([
        404,
        expect.stringMatching(/^there is no [a-z ]+ ID$/),
      ]);
    }
    expect((await ask("GET", pathOf(kind, theirs), {}, accounts[1])).status).toBe(200);
  });
});

test.each([
  ["EP-10", "bank-transactions"],
  ["EP-12", "transaction-matches"],
] as const)("%s: GET of one of %s under another subaccount is 404", async (_, kind) => {
  const { put, ask } = await startTestServer();
  const subaccountId = put("subaccounts");
  const id = put(kind, { subaccountId });
  expect((await ask("GET", pathOf(kind, id, subaccountId))).status).toBe(200);
  expect((await ask("GET", pathOf(kind, id, UNKNOWN_ID))).status).toBe(404);
  expect((await ask("GET", `/${kind}/${id}`)).status).toBe(404);
});

test("MSG-11, EP-12: of what is in no list, only bank transactions can be fetched", async () => {
  const { put, ask } = await startTestServer();
  for (const [kind, items, status] of [
    ["bank-transactions", "bankTransactions", 200],
    ["transaction-matches", "transactionMatches", 404],
  ] as const) {
    const id = put(kind, { listed: false });
    expect((await ask("GET", `/${kind}`)).json._embedded[items]).toEqual([]);
    expect((await ask("GET", pathOf(kind, id))).status).toBe(status);
  }
});

test.each([true, false])("a response that violates the contract, checked: %s", async (validate) => {
  const { ask, put, engine, service } = await startTestServer({ validate });
  const id = put("transactions");
  const resource = engine.store.find("transactions", id);
  const body = { ...resource.body, supersededMessageIds: [UNKNOWN_ID] };
  engine.commit(({ store }) => store.update({ ...resource, body }));
  const { status, json } = await ask("GET", pathOf("transactions", id));
  expect(status).toBe(validate ? 500 : 200);
  expect(service.violations).toHaveLength(validate ? 1 : 0);
  if (!validate) return;
  expect(json.detail).toBe(service.violations[0]);
  expect(json.detail).toMatch(/^GET \/transactions\/\{transactionId\} breaks TXN-06 /);
  expect((await ask("GET", "/transactions")).status).toBe(500);
});

test("an internal error is a 500 of one line without a stack trace", async () => {
  const { ask, put, engine } = await startTestServer();
  const id = put("cards");
  engine.store.sql("ALTER TABLE resources RENAME TO lost").run();
  const { status, text } = await ask("GET", pathOf("cards", id));
  expect(status).toBe(500);
  expect(JSON.parse(text).detail).toBe("no such table: resources");
  expect(text).not.toMatch(/\.ts|\bat /);
});

/** Starts a bank link and returns its id. */
function startLink({ engine, accounts }: TestServer, { accountId } = accounts[0]): string {
  return engine.commit((work) => verbs["link-start"].run(work, { accountId }).bankLinkId);
}

test("EP-07: PATCH completes and returns a bank link once", async () => {
  const server = await startTestServer();
  const { ask, engine, feed, dump } = server;
  const id = startLink(server);
  const response = await ask("PATCH", `/bank-links/${id}`);
  const { body, internal } = engine.store.find("bank-links", id);
  expect([response.status, response.json]).toEqual([200, body]);
  expect(internal.state).toBe("completed");
  const events = engine.store.sql("SELECT name, resource FROM events").all();
  expect(events[0]).toEqual({ name: "banklink.completed", resource: id });
  expect((await ask("GET", "/bank-accounts")).json._embedded.bankAccounts).not.toEqual([]);
  const before = dump();
  const again = await ask("PATCH", `/bank-links/${id}`, { headers: AS_JSON, body: '{"a":1}' });
  expect([again.status, again.json]).toEqual([200, body]);
  expect(await feed().bankLinks.complete(id)).toEqual(body);
  expect(dump()).toBe(before);
});

const JSON_TYPE = "application/json";

test.each([
  ["an empty object", JSON_TYPE, "{}", 200],
  ["any object", JSON_TYPE, '{"a":[1,{"b":null}]}', 200],
  ["spaces", JSON_TYPE, " {} ", 200],
  ["a prototype", JSON_TYPE, '{"__proto__":{}}', 200],
  ["a content type without a body", JSON_TYPE, undefined, 200],
  ["a body that is not JSON", JSON_TYPE, "{", 400],
  ["an array", JSON_TYPE, "[]", 400],
  ["null", JSON_TYPE, "null", 400],
  ["a blank body", JSON_TYPE, " ", 400],
  ["very deep JSON", JSON_TYPE, `${"[".repeat(100_000)}`, 400],
  ["another type", "text/plain", "{}", 415],
  ["another patch format", "application/json-patch+json", "[]", 415],
  ["another charset", "application/json; charset=latin1", "{}", 415],
  ["too much", JSON_TYPE, `{"a":"${"a".repeat(2 ** 20)}"}`, 413],
])("EP-07: PATCH with %s", async (_, type, body, expected) => {
  const server = await startTestServer();
  const path = `/bank-links/${startLink(server)}`;
  const before = server.dump();
  const { status, headers } = await server.ask("PATCH", path, {
    headers: { "content-type": type },
    body,
  });
  expect(status).toBe(expected);
  if (status === 200) return;
  expect(headers["content-type"]).toBe("application/problem+json");
  expect(server.dump()).toBe(before);
});

test("AUTH-12, EP-07: PATCH of what is not one's own, or can't be completed", async () => {
  const server = await startTestServer();
  const { put, ask, dump, accounts, engine } = server;
  const theirs = startLink(server, accounts[1]);
  const cancelled = startLink(server);
  engine.commit(({ store }) => {
    const link = store.find("bank-links", cancelled);
    store.update({ ...link, internal: { ...link.internal, state: "cancelled" as never } });
  });
  const card = put("cards");
  const before = dump();
  for (const id of [theirs, card, UNKNOWN_ID, "%00", "x"]) {
    expect((await ask("PATCH", `/bank-links/${id}`)).status).toBe(404);
  }
  expect((await ask("PATCH", `/bank-links/${cancelled}`, {}, accounts[1])).status).toBe(404);
  expect(await ask("PATCH", `/bank-links/${cancelled}`)).toMatchObject({
    status: 409,
    json: { type: "about:blank", title: "Conflict", status: 409 },
  });
  expect(dump()).toBe(before);
});

describe("a fault", () => {
  const startWith = async (...api: ApiFault[]) => {
    const server = await startTestServer();
    server.service.faults.set({ api });
    return server;
  };

  test("of 401 applies to the given number of requests, despite valid tokens", async () => {
    const { ask } = await startWith({ kind: "401", path: "/cards", times: 2 });
    for (const expected of [401, 401, 200]) {
      const { status, headers } = await ask("GET", "/cards");
      expect(status).toBe(expected);
      const challenge = 'Bearer realm="sandbox", error="invalid_token"';
      expect(headers["www-authenticate"]).toBe(status === 200 ? undefined : challenge);
    }
  });

  test("of 429 has a Retry-After, and of 500 a problem", async () => {
    const { ask } = await startWith(
      { kind: "429", path: "/cards", retryAfterSeconds: 7 },
      { kind: "429", path: "/transactions" },
      { kind: "500", path: "/subaccounts" },
    );
    for (const [path, expected, seconds] of [
      ["/cards", 429, "7"],
      ["/transactions", 429, "1"],
      ["/subaccounts", 500, undefined],
    ] as const) {
      const { status, headers, json } = await ask("GET", path);
      expect([status, headers["retry-after"]]).toEqual([expected, seconds]);
      expect(headers["content-type"]).toBe("application/problem+json");
      expect(json).toMatchObject({ type: "about:blank", status });
    }
  });

  test("of latency delays the response or another fault", async () => {
    const delayMs = 60;
    const { ask } = await startWith(
      { kind: "latency", path: "/cards", delayMs },
      { kind: "500", path: "/cards", times: 1 },
    );
    for (const expected of [500, 200]) {
      const startMs = performance.now();
      expect((await ask("GET", "/cards")).status).toBe(expected);
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(delayMs - 1);
    }
  });

  test("of latency may be longer than a timer allows", async () => {
    const latency = { kind: "latency", delayMs: 2 ** 31 - 1 } as const;
    const { ask } = await startWith(latency, latency);
    const pause = new Promise((resolve) => setTimeout(resolve, 100, "delayed"));
    expect(await Promise.race([ask("GET", "/cards").catch(String), pause])).toBe("delayed");
  });

  test("applies to the token endpoint, but not outside the operations", async () => {
    const { send, accounts } = await startWith({ kind: "500", times: 1 });
    const { accountId, clientId, clientSecret } = accounts[0];
    const path = tokenPath(accountId);
    const form = {
      headers: FORM,
      body: formOf({ client_id: clientId, client_secret: clientSecret }),
    };
    const statuses = [
      await send("GET", "/nothing"),
      await send("HEAD", "/cards"),
      await send("GET", path.replace(/token$/, "certs")),
      await send("GET", "/_sandbox/status"),
      await send("POST", path, form),
      await send("POST", path, form),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 405, 200, 200, 500, 200]);
  });

  test("of a PATCH changes nothing", async () => {
    const { ask, put, dump } = await startWith({ kind: "500", path: "/bank-links" });
    const id = put("bank-links");
    const before = dump();
    expect((await ask("PATCH", `/bank-links/${id}`)).status).toBe(500);
    expect(dump()).toBe(before);
  });
});
