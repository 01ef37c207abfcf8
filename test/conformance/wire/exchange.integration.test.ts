import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "../../../conformance/wire/exchange.ts";

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
