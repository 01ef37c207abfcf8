import type { RequestListener, Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { type LambdaEvent, toLambdaHandler } from "../../../src/webhooks/adapters/aws-lambda.ts";
import { toExpressHandler } from "../../../src/webhooks/adapters/express.ts";
import { toFastifyPlugin } from "../../../src/webhooks/adapters/fastify.ts";
import { toHonoHandler } from "../../../src/webhooks/adapters/hono.ts";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import type { Receiver } from "../../../src/webhooks/request.ts";
import { serve } from "../../support/local-server.ts";

/** The options of a test server. */
export interface Setup {
  readonly bodyTimeoutMs?: number;
  /** Makes the app read all bodies before the receiver. */
  readonly isEaten?: boolean;
}

/** Creates a server with a receiver at /webhooks. It adds the app's errors to the list. */
export type Build = (
  receiver: Receiver,
  errors: unknown[],
  setup: Setup,
) => RequestListener | Server | Promise<Server>;

/** Serves a receiver until the end of the test. */
export async function start(build: Build, receiver: Receiver, setup: Setup = {}) {
  const errors: unknown[] = [];
  const origin = await serve(await build(receiver, errors, setup));
  return { url: `${origin}/webhooks`, errors };
}

export const buildNode: Build = (receiver, errors, { isEaten, ...options }) => {
  const handle = toNodeHandler(receiver, { ...options, onError: (error) => errors.push(error) });
  if (!isEaten) return handle;
  return (request, response) => request.on("end", () => handle(request, response)).resume();
};

export const buildExpress: Build = (receiver, errors, { isEaten, ...options }) => {
  const app = express();
  if (isEaten) app.use(express.json());
  app.use("/webhooks", toExpressHandler(receiver, options));
  app.use(express.json());
  app.post("/app", (request, response) => void response.json({ came: request.body }));
  const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error);
    response.status(500).end();
  };
  return app.use(onError);
};

export const buildFastify: Build = async (receiver, errors, { isEaten, ...options }) => {
  const app = Fastify();
  if (isEaten)
    app.addHook("onRequest", ({ raw }, _reply, done) => void raw.on("end", done).resume());
  app.addHook("onError", async (_request, _reply, error) => void errors.push(error));
  app.register(toFastifyPlugin(receiver, { url: "/webhooks", ...options }));
  app.post("/app", async ({ body }) => ({ came: body }));
  await app.ready();
  return app.server;
};

export const buildHono: Build = (receiver, errors, { isEaten, ...options }) => {
  const app = new Hono();
  if (isEaten) {
    app.use(async ({ req }, next) => {
      await req.json();
      await next();
    });
  }
  app.all("/webhooks", toHonoHandler(receiver, options));
  app.post("/app", async (context) => context.json({ came: await context.req.json() }));
  app.onError((error, context) => {
    errors.push(error);
    return context.body(null, 500);
  });
  return createAdaptorServer({ fetch: app.fetch }) as Server;
};

/** Serves a Lambda function like an HTTP API of API Gateway (payload format 2.0). */
export const buildLambda: Build = (receiver, errors, { isEaten }) => {
  const handler = toLambdaHandler(receiver);
  return async (request, response) => {
    const received = Buffer.concat(await request.toArray());
    const url = new URL(request.url ?? "", "http://gateway");
    const event = eventOf(request.method ?? "", url, request.headers, received);
    try {
      // Middy's httpJsonBodyParser does the same.
      const { statusCode, headers, body } = await handler(
        isEaten ? { ...event, body: JSON.parse(event.body ?? "null") } : event,
      );
      response.writeHead(statusCode, headers).end(body);
    } catch (error) {
      errors.push(error);
      response.writeHead(500).end('{"message":"Internal Server Error"}');
    }
  };
};

/** The content types that API Gateway passes as text; others become base64. */
const TEXT = /^(text\/|application\/(json|xml|javascript))/;

/** Creates the event that AWS documents for a request, with the members that the adapter reads. */
export function eventOf(
  method: string,
  url: URL,
  received: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
): LambdaEvent {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received)) headers[name] = String(value);
  const isBase64Encoded = !TEXT.test(headers["content-type"] ?? "");
  return {
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers,
    requestContext: { http: { method } },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
    isBase64Encoded,
  };
}
