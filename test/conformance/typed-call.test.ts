import { expect, test } from "vitest";
import { Skip } from "../../conformance/skip.ts";
import type {
  Exchange,
  RecordedRequest,
  RecordedResponse,
} from "../../conformance/transport/exchange.ts";
import { makeTypedCall, type TypedCall } from "../../conformance/transport/typed-call.ts";
import { UnreachableError } from "../../src/errors.ts";

const BASE_URL = "http://feed.test/api";

/** Makes a call against what is always answered the same; gives what was sent and recorded. */
async function make(call: TypedCall, answer: Partial<Exchange>) {
  const sent: RecordedRequest[] = [];
  const exchange = await makeTypedCall(call, BASE_URL, async (request) => {
    sent.push(request);
    return { nr: 1, request, durationMs: 1, ...answer };
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
  const headers = { accept, authorization: "Bearer $TXFEED_TOKEN" };
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
  expect(exchange).toEqual({ nr: 1, request: sent[0], durationMs: 1, ...answer });
});

test("a link that has the variable of an account's id in it is followed", async () => {
  const href = "/cards/$TXFEED_ACCOUNT_ID";
  const { sent } = await make((feed) => feed.followResult(href), answered(200, "{}"));
  expect(sent.map(({ url }) => url)).toEqual([`${BASE_URL}${href}`]);
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
    await expect(call).rejects.toEqual(expect.any(Skip));
    await expect(call).rejects.toMatchObject({ reason: expect.stringContaining("not followed") });
  },
);

test("what ends the run ends it through the client too", async () => {
  const end = new UnreachableError("the target stopped answering");
  const call = makeTypedCall(readCards, BASE_URL, () => Promise.reject(end));
  await expect(call).rejects.toBe(end);
});

test("a fault of the call itself is the suite's", async () => {
  const call = make(async () => {
    throw new TypeError("oops");
  }, {});
  await expect(call).rejects.toThrow("oops");
});
