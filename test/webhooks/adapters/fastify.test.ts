import Fastify from "fastify";
import { expect, test } from "vitest";
import { toFastifyPlugin } from "../../../src/webhooks/adapters/fastify.ts";
import { recorder } from "./recorder.ts";

test("the route has the app's prefix and hooks, but not its parsers", async () => {
  const { receiver, seen } = recorder();
  const app = Fastify();
  app.addHook("onSend", async (_request, reply) => void reply.header("x-hook", "ran"));
  app.addContentTypeParser("text/csv", { parseAs: "string" }, async () => "parsed by the app");
  app.register(toFastifyPlugin(receiver, { url: "/webhooks" }), { prefix: "/v1" });
  app.post("/app", async ({ body }) => body);
  const post = (url: string, type: string) =>
    app.inject({ method: "POST", url, headers: { "content-type": type }, payload: '{"n": 1.0}' });

  const received = await post("/v1/webhooks", "text/csv");
  expect(received.statusCode).toBe(202);
  expect(received.headers).toMatchObject({ connection: "keep-alive", "x-hook": "ran" });
  expect(seen.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['{"n": 1.0}']);
  expect((await post("/app", "text/csv")).body).toBe("parsed by the app");
  expect((await post("/app", "application/octet-stream")).statusCode).toBe(415);
  await app.close();
});
