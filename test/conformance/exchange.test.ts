import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf, type Exchange, outcomeOf } from "../../conformance/exchange.ts";
import { Secrets } from "../../conformance/secrets.ts";

const SECRET = "s3cr+t/with=signs&more";
const TOKEN = "eyJhbGciOi.JSUzI1NiIs.c2lnbmF0dXJl";

function tokenExchange(): Exchange {
  const form = new URLSearchParams({ client_id: "backend-1", client_secret: SECRET });
  return {
    request: {
      method: "POST",
      url: `http://127.0.0.1:1/token?echo=${encodeURIComponent(SECRET)}`,
      headers: { authorization: `Bearer ${TOKEN}` },
      body: form.toString(),
    },
    response: {
      status: 200,
      headers: { "x-echo": SECRET },
      body: JSON.stringify({ access_token: TOKEN, echoed: SECRET }),
      json: { access_token: TOKEN },
    },
    durationMs: 1,
  };
}

test("secrets and tokens are dropped wherever they stand: URL, headers, bodies, answers", () => {
  const secrets = new Secrets();
  secrets.add(SECRET, "$TXFEED_CLIENT_SECRET");
  secrets.addToken(TOKEN);
  const text = JSON.stringify(secrets.drop(tokenExchange()));
  for (const canary of [SECRET, encodeURIComponent(SECRET), TOKEN]) {
    expect(text).not.toContain(canary);
  }
  expect(text).toContain("client_secret=$TXFEED_CLIENT_SECRET");
  expect(text).toContain("Bearer $TXFEED_TOKEN");
});

test("what stands where secrets stand is dropped, though nobody knew it", () => {
  const text = JSON.stringify(new Secrets().drop(tokenExchange()).request.body);
  expect(text).toBe('"client_id=$TXFEED_CLIENT_ID&client_secret=$TXFEED_CLIENT_SECRET"');
  const { response } = new Secrets().drop(tokenExchange());
  expect(response?.body).toContain('"access_token":"$TXFEED_TOKEN"');
});

test("a curl line says what was sent, to a shell", () => {
  const line = curlOf({
    method: "PATCH",
    url: "http://127.0.0.1:1/a?b=`id`&c=$HOME",
    headers: { authorization: "Bearer $TXFEED_TOKEN", "x-quote": 'say "hi" \\ $(id)' },
    body: "a=1",
  });
  const printed = execFileSync("sh", ["-c", line.replace(/^curl/, "printf '%s\\n'")], {
    env: { ...process.env, TXFEED_TOKEN: "t0ken" },
    encoding: "utf8",
  });
  expect(printed.trimEnd().split("\n")).toEqual([
    "-i",
    "-X",
    "PATCH",
    "http://127.0.0.1:1/a?b=`id`&c=$HOME",
    "-H",
    "authorization: Bearer t0ken",
    "-H",
    'x-quote: say "hi" \\ $(id)',
    "-d",
    "a=1",
  ]);
});

test.each<[Partial<Exchange>, string]>([
  [{ failure: "socket hang up" }, "no answer (socket hang up)"],
  [{ response: { status: 401, headers: {}, body: "" } }, "401"],
  [
    { response: { status: 200, headers: { "content-type": "text/html; charset=x" }, body: "<p>" } },
    "200 with text/html that is not JSON",
  ],
])("%j is told as %j", (part, expected) => {
  const request = { method: "GET", url: "http://127.0.0.1:1/", headers: {} };
  expect(outcomeOf({ request, durationMs: 1, ...part })).toBe(expected);
});
