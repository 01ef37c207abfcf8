import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test, vi } from "vitest";
import { type NodeHandlerOptions, toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { serve } from "../../support/local-server.ts";
import { recorder } from "./recorder.ts";

const POST = { method: "POST", body: "{}" };

/** Serves a receiver behind a reader of bodies. Returns the origin. */
const serveBehind = (
  consume: (request: IncomingMessage) => unknown,
  options: NodeHandlerOptions,
) => {
  const handle = toNodeHandler(recorder().receiver, options);
  return serve(async (request, response) => {
    await consume(request);
    handle(request, response);
  });
};
const readToEnd = (request: IncomingMessage) => once(request.resume(), "end");

test("without onError it emits a process warning", async () => {
  const url = await serveBehind(readToEnd, {});
  const warned = once(process, "warning");
  expect((await fetch(url, POST)).status).toBe(500);
  const [warning] = await warned;
  expect(warning).toMatchObject({ code: "body-consumed" });
});

test.each<[string, RequestInit, (request: IncomingMessage) => unknown]>([
  ["empty and read", { method: "POST" }, readToEnd],
  ["decoded to text", POST, (request) => request.setEncoding("utf8")],
])("a body that was %s before is reported", async (_how, init, consume) => {
  const onError = vi.fn();
  const url = await serveBehind(consume, { onError });
  expect((await fetch(url, init)).status).toBe(500);
  expect(onError.mock.calls).toMatchObject([[{ code: "body-consumed" }]]);
});

test("a response that can't be written becomes a 500", async () => {
  const onError = vi.fn();
  const reply = { status: 202, headers: { "x-broken": "a\nb" }, body: "" };
  const url = await serve(toNodeHandler(recorder(reply).receiver, { onError }));
  expect((await fetch(url, POST)).status).toBe(500);
  expect(onError.mock.calls).toMatchObject([[{ code: "ERR_INVALID_CHAR" }]]);
});
