import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf, type Exchange, outcomeOf, parseJson } from "../../../conformance/wire/exchange.ts";

test("a curl line quotes the request for a shell", () => {
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
  [{ failure: "socket hang up" }, "no response (socket hang up)"],
  [{ response: { status: 401, headers: {}, body: "" } }, "401"],
  [
    { response: { status: 200, headers: { "content-type": "text/html; charset=x" }, body: "<p>" } },
    "200 with text/html that is not JSON",
  ],
  [
    { response: { status: 302, headers: { location: "https://login.test/" }, body: "" } },
    "302 to https://login.test/",
  ],
  [
    { response: { status: 401, headers: { "www-authenticate": "Basic" }, body: "" } },
    "401 asking for Basic",
  ],
  [{ response: { status: 401, headers: { "www-authenticate": "Bearer" }, body: "" } }, "401"],
  [
    { response: { status: 200, headers: {}, body: '{"a":' } },
    "200 with no content type that is not JSON",
  ],
])("%j is described as %j", (part, expected) => {
  const request = { method: "GET", url: "http://127.0.0.1:1/", headers: {} };
  expect(outcomeOf({ nr: 1, request, durationMs: 1, ...part })).toBe(expected);
});

test("a response that is too deep or too large is not parsed", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const full = `[${"0,".repeat(200_000)}0]`;
  for (const body of [deep, full, "[".repeat(100_000)]) {
    expect(parseJson(body)).toBeUndefined();
    const request = { method: "GET", url: "http://127.0.0.1:1/", headers: {} };
    const response = { status: 200, headers: {}, body };
    const outcome = outcomeOf({ nr: 1, request, response, durationMs: 1 });
    expect(outcome).toBe("200 with no content type that is JSON larger than any page");
  }
});

test.each([
  '"\\""',
  '"[[[[\\\\"',
  `{"a":"${"[{,".repeat(100_000)}\\"${"]".repeat(9)}","b":[1,{"c":"\\\\"}]}`,
  `${"[".repeat(100)}${"]".repeat(100)}`,
  "null",
])("JSON with any strings is parsed: %#", (body) => {
  expect(parseJson(body)).toEqual(JSON.parse(body));
});
