import { expect, test } from "vitest";
import { Session } from "../../../conformance/check.ts";
import { Skip } from "../../../conformance/skip.ts";
import type {
  Exchange,
  RecordedRequest,
  RecordedResponse,
  Transport,
} from "../../../conformance/wire/exchange.ts";
import { UnreachableError } from "../../../src/errors.ts";
import { capabilitiesWith } from "../observe/deliveries/captured.ts";

const BASE_URL = "http://feed.test/api";

const json = (body: object): { response: RecordedResponse } => {
  return { response: { status: 200, headers: {}, body: JSON.stringify(body), json: body } };
};

const responding = (status: number, body = "", headers = {}): { response: RecordedResponse } => {
  return { response: { status, headers, body } };
};

/** Makes a call against a transport with one response; returns what it sent and recorded. */
async function make(
  call: (session: Session) => Promise<Exchange>,
  respond: () => Promise<Partial<Exchange>>,
) {
  const sent: RecordedRequest[] = [];
  const transport = {
    async send(_scope: string, request: RecordedRequest) {
      const isToken = request.url.includes("/openid-connect/token");
      if (!isToken) sent.push(request);
      const response = isToken ? json({ access_token: "t" }) : await respond();
      return { nr: 1, request, durationMs: 1, ...response };
    },
  } as unknown as Transport;
  const session = new Session({ baseUrl: BASE_URL, capabilities: capabilitiesWith(), transport });
  return { exchange: await call(session), sent };
}

const ok = async () => json({});

test("a call is one request below the base address with the run's token", async () => {
  const { sent } = await make((session) => session.call("GET /cards"), ok);
  const accept = "application/json, application/problem+json";
  const headers = { accept, authorization: "Bearer $TXFEED_TOKEN" };
  expect(sent).toEqual([{ method: "GET", url: "http://feed.test/api/cards", headers }]);
});

test("a call has its ids and its query in the URL", async () => {
  const list = await make((session) => session.call("GET /cards", { query: { limit: 3 } }), ok);
  expect(list.sent.map(({ url }) => url)).toEqual([`${BASE_URL}/cards?limit=3`]);
  const path = { subaccountId: "a b", id: "ä" };
  const one = await make(
    (session) => session.call("GET /bank-transactions/{subaccountId}/{id}", { path }),
    ok,
  );
  expect(one.sent.map(({ url }) => url)).toEqual([`${BASE_URL}/bank-transactions/a%20b/%C3%A4`]);
});

test.each<[string, Partial<Exchange>]>([
  ["a 401, which causes no token request", responding(401)],
  ["a redirect", responding(302, "", { location: "http://elsewhere.test/" })],
  ["a page that is not JSON", responding(200, "<p>")],
  ["no response", { failure: "other side closed" }],
])("%s is recorded unchanged", async (_, response) => {
  const { exchange, sent } = await make(
    (session) => session.call("GET /cards"),
    async () => response,
  );
  expect(sent).toHaveLength(1);
  expect(exchange).toEqual({ nr: 1, request: sent[0], durationMs: 1, ...response });
});

test("a link with the placeholder of an account id is followed", async () => {
  const href = "/cards/$TXFEED_ACCOUNT_ID";
  const { sent } = await make((session) => session.follow(href), ok);
  expect(sent.map(({ url }) => url)).toEqual([`${BASE_URL}${href}`]);
});

test("a PATCH carries its body", async () => {
  const input = { path: { bankLinkId: "b-1" }, body: { a: 1 } };
  const { sent } = await make(
    (session) => session.call("PATCH /bank-links/{bankLinkId}", input),
    ok,
  );
  expect(sent).toMatchObject([
    { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"a":1}' },
  ]);
});

test.each(["//elsewhere.test/x", "/../x", "/cards/a;b", "http://elsewhere.test/x"])(
  "a link to %j is not followed, and its check is skipped",
  async (href) => {
    const call = make((session) => session.follow(href), ok);
    await expect(call).rejects.toEqual(expect.any(Skip));
    await expect(call).rejects.toMatchObject({ reason: expect.stringContaining("not followed") });
  },
);

test("an id that changes the URL's structure skips the check", async () => {
  const call = make((session) => session.call("GET /cards/{id}", { path: { id: "a/b" } }), ok);
  await expect(call).rejects.toEqual(expect.any(Skip));
});

test("an error that ends the run is rethrown", async () => {
  const end = new UnreachableError("the target stopped answering");
  const call = make(
    (session) => session.call("GET /cards"),
    () => Promise.reject(end),
  );
  await expect(call).rejects.toBe(end);
});
