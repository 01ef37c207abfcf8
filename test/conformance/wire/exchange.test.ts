import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { Session } from "../../../conformance/check.ts";
import { Skip } from "../../../conformance/skip.ts";
import {
  curlOf,
  type Exchange,
  outcomeOf,
  parseJson,
  type RecordedRequest,
  type RecordedResponse,
  type Transport,
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

const sentBy = async (call: (session: Session) => Promise<Exchange>) =>
  (await make(call, async () => json({}))).sent;

test("a call is one request below the base address with the run's token", async () => {
  const accept = "application/json, application/problem+json";
  const headers = { accept, authorization: "Bearer $TXFEED_TOKEN" };
  const sent = { method: "GET", url: `${BASE_URL}/cards?limit=3`, headers };
  const query = { limit: 3 };
  expect(await sentBy((session) => session.call("GET /cards", { query }))).toEqual([sent]);
  const input = { path: { bankLinkId: "a bä" }, body: { a: 1 } };
  expect(await sentBy((session) => session.call("PATCH /bank-links/{bankLinkId}", input))).toEqual([
    {
      ...{ method: "PATCH", url: `${BASE_URL}/bank-links/a%20b%C3%A4`, body: '{"a":1}' },
      headers: { ...headers, "content-type": "application/json" },
    },
  ]);
  // A link may have the placeholder of an account id.
  const href = "/cards/$TXFEED_ACCOUNT_ID";
  expect(await sentBy((session) => session.follow(href))).toMatchObject([{ url: BASE_URL + href }]);
});

test.each<[string, Partial<Exchange>, string]>([
  ["a 401, which causes no token request", responding(401), "401"],
  [
    "a 401 that asks for other credentials",
    responding(401, "", { "www-authenticate": "Basic" }),
    "401 asking for Basic",
  ],
  ["a 401 that asks for a token", responding(401, "", { "www-authenticate": "Bearer" }), "401"],
  [
    "a redirect",
    responding(302, "", { location: "https://login.test/" }),
    "302 to https://login.test/",
  ],
  ["cut JSON", responding(200, '{"a":'), "200 with no content type that is not JSON"],
  [
    "a page that is not JSON",
    responding(200, "<p>", { "content-type": "text/html; charset=x" }),
    "200 with text/html that is not JSON",
  ],
  ["no response", { failure: "other side closed" }, "no response (other side closed)"],
])("%s is recorded unchanged and described", async (_, response, outcome) => {
  const call = (session: Session) => session.call("GET /cards");
  const { exchange, sent } = await make(call, async () => response);
  expect(sent).toHaveLength(1);
  expect(exchange).toEqual({ nr: 1, request: sent[0], durationMs: 1, ...response });
  expect(outcomeOf(exchange)).toBe(outcome);
});

test.each<[string, (session: Session) => Promise<Exchange>]>([
  ...["//elsewhere.test/x", "/../x", "/cards/a;b", "http://elsewhere.test/x"].map(
    (href) => [href, (session: Session) => session.follow(href)] as [string, never],
  ),
  ["an id with a slash", (session) => session.call("GET /cards/{id}", { path: { id: "a/b" } })],
])("%s is not requested, and its check is skipped", async (_, call) => {
  await expect(sentBy(call)).rejects.toEqual(expect.any(Skip));
});

test("an error that ends the run is rethrown", async () => {
  const end = new UnreachableError("the target stopped answering");
  const call = (session: Session) => session.call("GET /cards");
  await expect(make(call, () => Promise.reject(end))).rejects.toBe(end);
});

test.each([
  `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  `[${"0,".repeat(200_000)}0]`,
  "[".repeat(100_000),
])("a response that is too deep or too large is not parsed: %#", (body) => {
  expect(parseJson(body)).toBeUndefined();
  const request = { method: "GET", url: "http://127.0.0.1:1/", headers: {} };
  const outcome = outcomeOf({ nr: 1, request, durationMs: 1, ...responding(200, body) });
  expect(outcome).toBe("200 with no content type that is JSON larger than any page");
});

test.each([
  ...['"\\""', '"[[[[\\\\"', "null", `${"[".repeat(100)}${"]".repeat(100)}`],
  `{"a":"${"[{,".repeat(100_000)}\\"${"]".repeat(9)}","b":[1,{"c":"\\\\"}]}`,
])("JSON with any strings is parsed: %#", (body) => {
  expect(parseJson(body)).toEqual(JSON.parse(body));
});

test("a curl line quotes the request for a shell", () => {
  const url = "http://127.0.0.1:1/a?b=`id`&c=$HOME";
  const quote = 'say "hi" \\ $(id)';
  const headers = { authorization: "Bearer $TXFEED_TOKEN", "x-quote": quote };
  const line = curlOf({ method: "PATCH", url, headers, body: "a=1" });
  const printed = execFileSync("sh", ["-c", line.replace(/^curl/, "printf '%s\\n'")], {
    env: { ...process.env, TXFEED_TOKEN: "t0ken" },
    encoding: "utf8",
  });
  expect(printed.trimEnd().split("\n")).toEqual([
    ...["-i", "-X", "PATCH", url, "-H", "authorization: Bearer t0ken"],
    ...["-H", `x-quote: ${quote}`, "-d", "a=1"],
  ]);
});
