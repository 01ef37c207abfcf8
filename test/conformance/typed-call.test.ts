import { expect, test } from "vitest";
import { Unseen } from "../../conformance/check.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "../../conformance/exchange.ts";
import type { Target } from "../../conformance/session.ts";
import { makeTypedCall, type TypedCall } from "../../conformance/typed-call.ts";
import { TxfeedError } from "../../src/errors.ts";

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };
const target: Target = { baseUrl: "http://feed.test/api", credentials, profile: "full" };

/** Makes a call against what is always answered the same; gives what was sent and recorded. */
async function make(call: TypedCall, answer: Partial<Exchange>, token = "a.b.c") {
  const sent: RecordedRequest[] = [];
  const exchange = await makeTypedCall(call, target, token, async (request) => {
    sent.push(request);
    return { request, durationMs: 1, ...answer };
  });
  return { exchange, sent };
}

const answered = (status: number, body = "", headers = {}): { response: RecordedResponse } => {
  return { response: { status, headers, body } };
};

const readCards: TypedCall = (feed) => feed.GET("/cards");

test("a call is one request below the base address, with the run's token", async () => {
  const { sent } = await make(readCards, answered(200, "{}"));
  const accept = "application/json, application/problem+json";
  const headers = { accept, authorization: "Bearer a.b.c" };
  expect(sent).toEqual([{ method: "GET", url: "http://feed.test/api/cards", headers }]);
});

test.each<[string, Partial<Exchange>]>([
  ["a 401, which gets no new token", answered(401)],
  ["a 429 that asks to wait", answered(429, "", { "retry-after": "30" })],
  ["a 503, which is not asked again", answered(503)],
  ["a redirect", answered(302, "", { location: "http://elsewhere.test/" })],
  ["a page that is no JSON", answered(200, "<p>")],
  ["no answer", { failure: "other side closed" }],
])("%s is recorded as it came", { timeout: 5000 }, async (_, answer) => {
  const { exchange, sent } = await make(readCards, answer);
  expect(sent).toHaveLength(1);
  expect(exchange).toEqual({ request: sent[0], durationMs: 1, ...answer });
});

test("a token goes out as it is, whatever the client would say of it", async () => {
  const { sent } = await make(readCards, answered(200, "{}"), "a b c");
  expect(sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer a b c"]);
});

test("a PATCH carries its body", async () => {
  const path = { bankLinkId: "b-1" };
  const { sent } = await make(
    (feed) => feed.PATCH("/bank-links/{bankLinkId}", { params: { path }, body: { a: 1 } }),
    answered(200),
  );
  expect(sent).toMatchObject([
    { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"a":1}' },
  ]);
});

test.each(["//elsewhere.test/x", "/../x", "/cards/a;b", "http://elsewhere.test/x"])(
  "a link to %j is not followed, which leaves its check undecided",
  async (href) => {
    const call = make((feed) => feed.followResult(href), answered(200, "{}"));
    await expect(call).rejects.toEqual(expect.any(Unseen));
    await expect(call).rejects.toMatchObject({ reason: expect.stringContaining("not followed") });
  },
);

test("what ends the run ends it through the client too", async () => {
  const end = new TxfeedError("unreachable", "the target stopped answering");
  const call = makeTypedCall(readCards, target, "a.b.c", () => Promise.reject(end));
  await expect(call).rejects.toBe(end);
});

test("a fault of the call itself is the suite's", async () => {
  const call = make(async () => {
    throw new TypeError("oops");
  }, {});
  await expect(call).rejects.toThrow("oops");
});
