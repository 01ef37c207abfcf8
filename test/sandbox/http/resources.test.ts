import { describe, expect, test } from "vitest";
import type { Kind } from "../../../src/world/resources.ts";
import { pathOf, startTestServer, UNKNOWN_ID } from "./test-server.ts";

const KINDS: [requirement: string, kind: Kind][] = [
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
];

describe.each(KINDS)("%s: GET of one of %s", (_, kind) => {
  test("returns the stored body unchanged", async () => {
    const { put, ask, engine, service } = await startTestServer();
    const id = put(kind);
    const response = await ask("GET", pathOf(kind, id));
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(response.text).toBe(JSON.stringify(engine.store.find(kind, id).body));
    expect(service.violations).toEqual([]);
  });

  test("AUTH-12: another account's and an unknown resource get the same 404", async () => {
    const { put, ask, accounts } = await startTestServer();
    const [one, other] = accounts;
    const id = put(kind, { account: other });
    const responses = [
      await ask("GET", pathOf(kind, id), {}, one),
      await ask("GET", pathOf(kind, UNKNOWN_ID), {}, one),
    ];
    const [foreign, unknown] = responses.map(({ status, text }) => {
      return { status, text: text.replace(id, "ID").replace(UNKNOWN_ID, "ID") };
    });
    expect(foreign).toEqual(unknown);
    expect(foreign?.status).toBe(404);
    expect((await ask("GET", pathOf(kind, id), {}, other)).status).toBe(200);
  });

  test("returns 404 for the id of another kind", async () => {
    const { put, ask } = await startTestServer();
    const other = kind === "cards" ? "transactions" : "cards";
    expect((await ask("GET", pathOf(kind, put(other)))).status).toBe(404);
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

test("MSG-11: a deleted bank transaction is in no list, but can be fetched", async () => {
  const { put, ask } = await startTestServer();
  const id = put("bank-transactions", { listed: false });
  const { json } = await ask("GET", "/bank-transactions");
  expect(json._embedded.bankTransactions).toEqual([]);
  expect((await ask("GET", pathOf("bank-transactions", id))).json.id).toBe(id);
});

test("EP-12: a retracted match is in no list and can't be fetched", async () => {
  const { put, ask } = await startTestServer();
  const id = put("transaction-matches", { listed: false });
  const { json } = await ask("GET", "/transaction-matches");
  expect(json._embedded.transactionMatches).toEqual([]);
  expect((await ask("GET", pathOf("transaction-matches", id))).status).toBe(404);
});

describe("a response that violates the contract", () => {
  async function startBroken(validate: boolean) {
    const server = await startTestServer({ validate });
    const id = server.put("transactions");
    const resource = server.engine.store.find("transactions", id);
    const body = { ...resource.body, supersededMessageIds: [UNKNOWN_ID] };
    server.engine.commit(({ store }) => store.update({ ...resource, body }));
    return { ...server, id };
  }

  test("is replaced by a 500 and logged if responses are checked", async () => {
    const { ask, service, id } = await startBroken(true);
    const { status, json, headers } = await ask("GET", pathOf("transactions", id));
    expect(status).toBe(500);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(service.violations).toHaveLength(1);
    expect(service.violations[0]).toMatch(/^GET \/transactions\/\{transactionId\} breaks TXN-06 /);
    expect(json.detail).toBe(service.violations[0]);
    expect((await ask("GET", "/transactions")).status).toBe(500);
  });

  test("is sent if responses are not checked", async () => {
    const { ask, service, id } = await startBroken(false);
    expect((await ask("GET", pathOf("transactions", id))).status).toBe(200);
    expect(service.violations).toEqual([]);
  });
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
