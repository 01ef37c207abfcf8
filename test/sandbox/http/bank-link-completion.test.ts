import { expect, test } from "vitest";
import { verbs } from "../../../src/world/verbs/index.ts";
import { startTestServer, type TestServer, UNKNOWN_ID } from "./test-server.ts";

const JSON_BODY = { headers: { "content-type": "application/json" } };

/** Starts a bank link and returns its id. */
function startLink({ engine, accounts }: TestServer, { accountId } = accounts[0]): string {
  return engine.commit((work) => {
    verbs["open-subaccount"].run(work, { accountId });
    return verbs["link-start"].run(work, { accountId }).bankLinkId;
  });
}

const eventsOf = ({ engine }: TestServer) =>
  engine.store.sql("SELECT name, resource FROM events").all();

test("EP-07: PATCH completes and returns a bank link, and sends banklink.completed", async () => {
  const found = await startTestServer();
  const { ask, engine } = found;
  const id = startLink(found);
  expect(eventsOf(found)).toEqual([]);
  const response = await ask("PATCH", `/bank-links/${id}`);
  expect(response.status).toBe(200);
  const { body, internal } = engine.store.find("bank-links", id);
  expect(response.json).toEqual(body);
  expect(internal.state).toBe("completed");
  const completions = eventsOf(found).filter(({ name }) => name === "banklink.completed");
  expect(completions).toEqual([{ name: "banklink.completed", resource: id }]);
  expect((await ask("GET", "/bank-accounts")).json._embedded.bankAccounts).not.toEqual([]);
});

test("EP-07: a second PATCH returns the same and sends nothing", async () => {
  const found = await startTestServer();
  const { ask, dump, feed } = found;
  const id = startLink(found);
  const first = await ask("PATCH", `/bank-links/${id}`);
  const before = dump();
  const second = await ask("PATCH", `/bank-links/${id}`, { ...JSON_BODY, body: '{"again":true}' });
  expect([second.status, second.json]).toEqual([200, first.json]);
  expect(await feed().bankLinks.complete(id)).toEqual(first.json);
  expect(dump()).toBe(before);
});

test.each(["{}", '{"a":[1,{"b":null}]}', " {} ", '{"__proto__":{}}'])(
  "EP-07: PATCH accepts any JSON object: %s",
  async (body) => {
    const found = await startTestServer();
    const path = `/bank-links/${startLink(found)}`;
    expect((await found.ask("PATCH", path, { ...JSON_BODY, body })).status).toBe(200);
  },
);

test.each([
  ["a body that is not JSON", "application/json", "{", 400],
  ["an array", "application/json", "[]", 400],
  ["null", "application/json", "null", 400],
  ["only a content type", "application/json", " ", 400],
  ["very deep JSON", "application/json", `${"[".repeat(100_000)}`, 400],
  ["another type", "text/plain", "{}", 415],
  ["another patch format", "application/json-patch+json", "[]", 415],
  ["another charset", "application/json; charset=latin1", "{}", 415],
  ["too much", "application/json", `{"a":"${"a".repeat(2 ** 20)}"}`, 413],
])("EP-07: PATCH with %s is refused and completes nothing", async (_, type, body, expected) => {
  const found = await startTestServer();
  const { ask, dump } = found;
  const path = `/bank-links/${startLink(found)}`;
  const before = dump();
  const response = await ask("PATCH", path, { headers: { "content-type": type }, body });
  expect(response.status).toBe(expected);
  expect(response.headers["content-type"]).toBe("application/problem+json");
  expect(dump()).toBe(before);
});

test("EP-07: PATCH accepts a content type without a body", async () => {
  const found = await startTestServer();
  const path = `/bank-links/${startLink(found)}`;
  expect((await found.ask("PATCH", path, JSON_BODY)).status).toBe(200);
});

test("AUTH-12: PATCH of another account's or an unknown bank link is 404", async () => {
  const found = await startTestServer();
  const { put, ask, dump, accounts } = found;
  const theirs = startLink(found, accounts[1]);
  const card = put("cards");
  const before = dump();
  for (const id of [theirs, card, UNKNOWN_ID, "%00", "x"]) {
    expect((await ask("PATCH", `/bank-links/${id}`)).status).toBe(404);
  }
  expect(dump()).toBe(before);
});

test("EP-07: a link that can't be completed gets a problem and is unchanged", async () => {
  const found = await startTestServer();
  const { engine, ask, dump } = found;
  const id = startLink(found);
  engine.commit(({ store }) => {
    const link = store.find("bank-links", id);
    store.update({ ...link, internal: { ...link.internal, state: "cancelled" as never } });
  });
  const before = dump();
  const theirs = await ask("PATCH", `/bank-links/${id}`, {}, found.accounts[1]);
  expect(theirs.status).toBe(404);
  const { status, json } = await ask("PATCH", `/bank-links/${id}`);
  expect(status).toBe(409);
  expect(json).toMatchObject({ type: "about:blank", title: "Conflict", status: 409 });
  expect(dump()).toBe(before);
});
