import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
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
  expect(warning).toMatchObject({
    code: "body-consumed",
    message:
      "something read the body before the receiver: mount the receiver before it, " +
      "or exclude the receiver's path from it",
  });
});

test("an empty body that was read before is reported", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const handle = toNodeHandler(recorder().receiver, { onError });
  const { url } = await listen((request, response) =>
    request.on("end", () => handle(request, response)).resume(),
  );
  expect((await fetch(url, { method: "POST" })).status).toBe(500);
  expect(errors).toMatchObject([{ code: "body-consumed" }]);
});

test("a body with an encoding set is reported", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const handle = toNodeHandler(recorder().receiver, { onError });
  const { url } = await listen((request, response) => {
    request.setEncoding("utf8");
    handle(request, response);
  });
  expect((await fetch(url, POST)).status).toBe(500);
  expect(errors).toMatchObject([{ code: "body-consumed" }]);
});

test("a response that can't be written becomes a 500", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const reply = { status: 202, headers: { "x-broken": "a\nb" }, body: "" };
  const { url } = await listen(toNodeHandler(recorder(reply).receiver, { onError }));
  expect((await fetch(url, POST)).status).toBe(500);
  expect(errors).toMatchObject([{ code: "ERR_INVALID_CHAR" }]);
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
