import { expect, test } from "vitest";
import type { CompleteBankLink } from "../../../src/sandbox/http/bank-link-completion.ts";
import { conflict } from "../../../src/sandbox/refusal.ts";
import { NOBODY, stage } from "./stage.ts";

const JSON_BODY = { headers: { "content-type": "application/json" } };

/** As the enrollment side does it, as far as it is seen from here. */
const complete: CompleteBankLink = (ledger, id) => {
  const link = ledger.store.find("bank-links", id);
  if (link.hidden.state === "completed") return;
  ledger.store.update({ ...link, hidden: { ...link.hidden, state: "completed" } });
  const { accountId } = link;
  ledger.announce(
    "banklink.completed",
    { accountId, resource: id },
    {
      ...{ bankLinkId: id, bankAccounts: [] },
    },
  );
};

test("EP-07: PATCH of a bank link completes it, answers it, and sends banklink.completed", async () => {
  const { put, ask, engine } = await stage({ complete });
  const id = put("bank-links");
  const answer = await ask("PATCH", `/bank-links/${id}`);
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ id, _links: { self: { href: `/bank-links/${id}` } } });
  expect(engine.store.find("bank-links", id).hidden.state).toBe("completed");
  const events = engine.store.sql("SELECT name, resource FROM events").all();
  expect(events).toEqual([{ name: "banklink.completed", resource: id }]);
});

test("EP-07: a second PATCH answers the same, and sends nothing", async () => {
  const { put, ask, dump, feed } = await stage({ complete });
  const id = put("bank-links");
  const first = await ask("PATCH", `/bank-links/${id}`);
  const before = dump();
  const second = await ask("PATCH", `/bank-links/${id}`, { ...JSON_BODY, body: '{"again":true}' });
  expect([second.status, second.json]).toEqual([200, first.json]);
  expect(await feed().bankLinks.complete(id)).toEqual(first.json);
  expect(dump()).toBe(before);
});

test.each(["{}", '{"a":[1,{"b":null}]}', " {} ", '{"__proto__":{}}'])(
  "EP-07: PATCH takes any JSON object: %s",
  async (body) => {
    const { put, ask } = await stage({ complete });
    const path = `/bank-links/${put("bank-links")}`;
    expect((await ask("PATCH", path, { ...JSON_BODY, body })).status).toBe(200);
  },
);

test.each([
  ["no JSON", "application/json", "{", 400],
  ["an array", "application/json", "[]", 400],
  ["null", "application/json", "null", 400],
  ["nothing but a type", "application/json", " ", 400],
  ["a very deep one", "application/json", `${"[".repeat(100_000)}`, 400],
  ["another type", "text/plain", "{}", 415],
  ["a patch of another kind", "application/json-patch+json", "[]", 415],
  ["another charset", "application/json; charset=latin1", "{}", 415],
  ["too much", "application/json", `{"a":"${"a".repeat(2 ** 20)}"}`, 413],
])("EP-07: PATCH with %s is refused and completes nothing", async (_, type, body, expected) => {
  const { put, ask, dump } = await stage({ complete });
  const path = `/bank-links/${put("bank-links")}`;
  const before = dump();
  const answer = await ask("PATCH", path, { headers: { "content-type": type }, body });
  expect(answer.status).toBe(expected);
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect(dump()).toBe(before);
});

test("EP-07: PATCH takes a type without a body", async () => {
  const { put, ask } = await stage({ complete });
  const path = `/bank-links/${put("bank-links")}`;
  expect((await ask("PATCH", path, JSON_BODY)).status).toBe(200);
});

test("AUTH-12: PATCH of another account's bank link, or of none, is 404 and changes nothing", async () => {
  const { put, ask, dump, accounts } = await stage({ complete });
  const theirs = put("bank-links", { account: accounts[1] });
  const card = put("cards");
  const before = dump();
  for (const id of [theirs, card, NOBODY, "%00", "x"]) {
    expect((await ask("PATCH", `/bank-links/${id}`)).status).toBe(404);
  }
  expect(dump()).toBe(before);
});

test("EP-07: what the completion refuses is answered with its problem, and undone", async () => {
  const { put, ask, dump } = await stage({
    complete: (ledger, id) => {
      complete(ledger, id);
      throw conflict("not in a state for it");
    },
  });
  const path = `/bank-links/${put("bank-links")}`;
  const before = dump();
  const { status, json } = await ask("PATCH", path);
  expect(status).toBe(409);
  expect(json).toEqual({
    ...{ type: "about:blank", title: "Conflict", status: 409 },
    detail: "not in a state for it",
  });
  expect(dump()).toBe(before);
});
