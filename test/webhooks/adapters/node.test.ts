import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { serve } from "../../support/local-server.ts";
import { recorder } from "./recorder.ts";

const listen = async (listener: RequestListener) => {
  const url = new URL(await serve(listener));
  return { port: Number(url.port), url: url.href };
};

const POST = { method: "POST", body: "{}" };

test("without onError it emits a process warning", async () => {
  const handle = toNodeHandler(recorder().receiver);
  const { url } = await listen((request, response) =>
    request.on("end", () => handle(request, response)).resume(),
  );
  const warned = once(process, "warning");
  expect((await fetch(url, POST)).status).toBe(500);
  const [warning] = await warned;
  expect(warning).toMatchObject({ code: "body-consumed" });
});

const consumers: [string, RequestInit, (request: IncomingMessage, handle: () => void) => void][] = [
  ["read to its end", POST, (request, handle) => request.on("end", handle).resume()],
  ["empty and read", { method: "POST" }, (request, handle) => request.on("end", handle).resume()],
  [
    "decoded to text",
    POST,
    (request, handle) => {
      request.setEncoding("utf8");
      handle();
    },
  ],
];
test.each(consumers)("a body that was %s before is reported", async (_how, init, consume) => {
  const onError = vi.fn();
  const handle = toNodeHandler(recorder().receiver, { onError });
  const { url } = await listen((request, response) =>
    consume(request, () => handle(request, response)),
  );
  expect((await fetch(url, init)).status).toBe(500);
  expect(onError.mock.calls).toMatchObject([[{ code: "body-consumed" }]]);
});

test("a response that can't be written becomes a 500", async () => {
  const onError = vi.fn();
  const reply = { status: 202, headers: { "x-broken": "a\nb" }, body: "" };
  const { url } = await listen(toNodeHandler(recorder(reply).receiver, { onError }));
  expect((await fetch(url, POST)).status).toBe(500);
  expect(onError.mock.calls).toMatchObject([[{ code: "ERR_INVALID_CHAR" }]]);
});

test("a sender that reads only after sending gets its response", async () => {
  const { port } = await listen(toNodeHandler(recorder().receiver));
  const socket = connect(port, "127.0.0.1");
  const body = Buffer.alloc(2_000_000, "a");
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n`);
  await new Promise((resolve) => socket.write(body, resolve));
  let reply = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    reply += text;
  });
  await once(socket, "end");
  expect(reply).toMatch(/^HTTP\/1\.1 413 .*connection: close.*too large$/is);
});

test("one connection carries several deliveries", async () => {
  const { receiver, seen } = recorder();
  const { port } = await listen(toNodeHandler(receiver));
  const socket = connect(port, "127.0.0.1");
  const post = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}";
  socket.write(post.repeat(3));
  let responses = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    responses += text;
    if (responses.split("HTTP/1.1 202").length > 3) socket.end();
  });
  await once(socket, "close");
  expect(seen).toHaveLength(3);
});
