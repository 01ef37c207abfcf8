import { describe, expect, expectTypeOf, test } from "vitest";
import { createFeedClient, type FeedClientOptions } from "../../src/client/index.ts";
import { createMockTransport } from "../../src/client/mock/index.ts";
import { CALL_OPTIONS, type CallOptions, CLIENT_OPTIONS } from "../../src/client/options.ts";
import { createSdkTokenHandler } from "../../src/client/sdk/index.ts";
import { undiciTransport } from "../../src/client/undici/index.ts";
import { credentials } from "./credentials.ts";
import { memoryFixture } from "./memory-service.ts";
import { rejectionOf } from "./test-server.ts";

const { feed, service } = memoryFixture();
type Any = never;

test("the known names are those of the types", () => {
  expectTypeOf<(typeof CALL_OPTIONS)[number]>().toEqualTypeOf<keyof CallOptions>();
  expectTypeOf<(typeof CLIENT_OPTIONS)[number]>().toEqualTypeOf<keyof FeedClientOptions>();
});

describe("an unknown option is rejected before sending", () => {
  const near = (what: string, name: string, meant: string) =>
    `${what}: unknown option "${name}"; did you mean "${meant}"?`;

  test.each<[string, () => Promise<unknown>]>([
    [near("cards.get", "timeout", "timeoutMs"), () => feed.cards.get("1", { timeout: 1 } as Any)],
    [
      near("bankTransactions.getResult", "header", "headers"),
      () => feed.bankTransactions.getResult("1", "2", { header: {} } as Any),
    ],
    [
      near("bankLinks.complete", "boddy", "body"),
      () => feed.bankLinks.complete("1", { boddy: {} } as Any),
    ],
    [
      near("bankLinks.completeResult", "retrys", "retries"),
      () => feed.bankLinks.completeResult("1", { retrys: 1 } as Any),
    ],
    [near("follow", "Signal", "signal"), () => feed.follow("/cards/1", { Signal: 1 } as Any)],
    [
      near("followResult", "validation", "validate"),
      () => feed.followResult("/cards/1", { validation: "throw" } as Any),
    ],
    [
      near("cards.listResult", "limits", "limit"),
      () => feed.cards.listResult({ limits: 1 } as Any),
    ],
    [near("toArray", "maxx", "max"), () => feed.cards.list().toArray({ maxx: 1 } as Any)],
    ["cards.get: options must be an object; got null", () => feed.cards.get("1", null as Any)],
    ["cards.get: options must be an object; got 2", () => feed.cards.get("1", "2" as Any)],
  ])("%s", async (message, call) => {
    expect(await rejectionOf(call())).toMatchObject({ code: "usage", message });
    expect(service.requests).toBe(0);
  });

  const all = credentials("https://feed.example");
  test.each<[string, () => unknown]>([
    [
      near("createFeedClient", "timeout", "timeoutMs"),
      () => createFeedClient({ ...all, timeout: 1 } as Any),
    ],
    [
      near("createFeedClient", "clientsecret", "clientSecret"),
      () => createFeedClient({ ...all, clientsecret: "x" } as Any),
    ],
    [near("cards.list", "a_head", "ahead"), () => feed.cards.list({ a_head: true } as Any)],
    [
      near("undiciTransport", "connection", "connections"),
      () => undiciTransport({ connection: 1 } as Any),
    ],
    [
      near("the override of GET /cards", "state", "status"),
      () => createMockTransport({ "GET /cards": { state: 503 } as Any }),
    ],
    [
      'the contract has no operation GET /card/{id}; did you mean "GET /cards/{id}"?',
      () => createMockTransport({ "GET /card/{id}": {} } as Any),
    ],
  ])("%s", (message, create) => {
    expect(create).toThrow(expect.objectContaining({ code: "usage", message }));
  });
});

test("the credentials of a sandbox's account are all known", async () => {
  const { transport } = memoryFixture().service;
  const account = {
    ...credentials("https://feed.example"),
    ...{ sdkClientId: "sdk-1", sdkClientSecret: "sdk-secret-1" },
  };
  const feed = createFeedClient({ ...account, transport });
  expect(await feed.cards.get("1")).toEqual({ id: "card-1" });
  createSdkTokenHandler({ ...account, authorize: () => true });
});

test("an undefined option counts as missing", async () => {
  const names = CLIENT_OPTIONS.filter((name) => !(name in credentials("")) && name !== "transport");
  const unset = Object.fromEntries(names.map((name) => [name, undefined]));
  const { feed } = memoryFixture({ ...unset });
  const call = Object.fromEntries(CALL_OPTIONS.map((name) => [name, undefined]));
  expect(await feed.cards.get("1", call)).toEqual({ id: "card-1" });
});

describe("a missing option is named, with what to do", () => {
  const { transport } = service;
  test.each([
    [undefined, "undefined"],
    [7, "number"],
    ["", "an empty string"],
  ])("credentials that are %j", (value, got) => {
    for (const name of ["baseUrl", "accountId", "clientId", "clientSecret"]) {
      const options = { ...credentials("https://feed.example"), transport, [name]: value };
      const advice = `give the one from your onboarding; got ${got}`;
      const message = `${name} is missing, or not a string: ${advice}`;
      expect(() => createFeedClient(options as Any)).toThrow(expect.objectContaining({ message }));
    }
  });

  test.each<[string, (all: Any) => Promise<unknown>]>([
    [
      "bankTransactions.get needs subaccountId and id; got 1 of 2",
      () => feed.bankTransactions.get("b-1", ...([] as Any as [Any])),
    ],
    [
      "transactionMatches.getResult needs subaccountId and matchId; got 0 of 2",
      () => feed.transactionMatches.getResult(...([] as Any as [Any, Any])),
    ],
    ["cards.get needs id; got 0 of 1", () => feed.cards.get(...([] as Any as [Any]))],
    [
      "id must be an id, one segment of a path; got object",
      () => feed.bankTransactions.get("b-1", {} as Any),
    ],
    ['id must be an id, one segment of a path; got ".."', () => feed.cards.get("..")],
  ])("%s", async (message, call) => {
    expect(await rejectionOf(call(undefined as Any))).toMatchObject({ code: "usage", message });
  });

  test.each([
    ["timeoutMs", -1],
    ["maxConcurrent", 0],
    ["retries", "2"],
  ])("%s: %j is rejected with its value", (name, value) => {
    const create = () => createFeedClient({ ...credentials("https://f.example"), [name]: value });
    expect(create).toThrow(new RegExp(`^${name} must be an integer from .*; got ${value}$`));
  });
});

test("an unknown network is rejected", () => {
  const options = {
    ...{ baseUrl: "https://feed.example", accountId: "a", clientId: "c", clientSecret: "s" },
    networks: { A: "X" },
  };
  const create = () => createFeedClient(options as Any);
  expect(create).toThrow('createFeedClient: networks: unknown option "A"; did you mean "a"?');
});
