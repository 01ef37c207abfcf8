import Fastify from "fastify";
import { expect, test } from "vitest";
import { toFastifyPlugin } from "../../../src/webhooks/adapters/fastify.ts";
import { recorder } from "./recorder.ts";

const post = (url: string, type: string) =>
  ({ method: "POST", url, headers: { "content-type": type }, payload: '{"n": 1.0}' }) as const;

test("the route has the prefix, and the app's hooks see its response", async () => {
  const { receiver, seen } = recorder();
  const app = Fastify();
  app.addHook("onSend", async (_request, reply) => void reply.header("x-hook", "ran"));
  app.register(toFastifyPlugin(receiver, { url: "/webhooks" }), { prefix: "/v1" });
  const response = await app.inject(post("/v1/webhooks", "application/json"));
  await app.close();
  expect(response.statusCode).toBe(202);
  expect(response.headers).toMatchObject({ connection: "keep-alive", "x-hook": "ran" });
  expect(seen.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['{"n": 1.0}']);
});

test("the plugin's parsers and the app's do not mix", async () => {
  const { receiver, seen } = recorder();
  const app = Fastify();
  app.addContentTypeParser("text/csv", { parseAs: "string" }, async () => "parsed by the app");
  app.register(toFastifyPlugin(receiver, { url: "/webhooks" }));
  app.post("/app", async ({ body }) => body);
  await app.inject(post("/webhooks", "text/csv"));
  const own = await app.inject(post("/app", "text/csv"));
  const unknown = await app.inject(post("/app", "application/octet-stream"));
  await app.close();
  expect(seen.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['{"n": 1.0}']);
  expect(own.body).toBe("parsed by the app");
  expect(unknown.statusCode).toBe(415);
});
