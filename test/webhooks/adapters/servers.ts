import type { RequestListener, Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { toLambdaHandler } from "../../../src/webhooks/adapters/aws-lambda.ts";
import { toExpressHandler } from "../../../src/webhooks/adapters/express.ts";
import { toFastifyPlugin } from "../../../src/webhooks/adapters/fastify.ts";
import { toHonoHandler } from "../../../src/webhooks/adapters/hono.ts";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import type { Receiver } from "../../../src/webhooks/request.ts";
import { startServer } from "../../support/local-server.ts";
import { gateway } from "./gateway.ts";

/** A running server. */
export interface Running {
  readonly origin: string;
  /** The URL for deliveries. */
  readonly url: string;
  /** The errors that reached the app's error handler. */
  readonly errors: unknown[];
  readonly close: () => Promise<void>;
}

/** The options of a test server. */
export interface Setup {
  readonly bodyTimeoutMs?: number;
  /** Makes the app read all bodies before the receiver. */
  readonly isEaten?: boolean;
}

/** Serves a receiver at /webhooks. */
export type Serve = (receiver: Receiver, setup?: Setup) => Promise<Running>;

export const serveNode: Serve = async (receiver, { isEaten, ...options } = {}) => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const handle = toNodeHandler(receiver, { ...options, onError });
  const readFirst: RequestListener = (request, response) =>
    request.on("end", () => handle(request, response)).resume();
  return start(isEaten ? readFirst : handle, errors);
};

export const serveExpress: Serve = async (receiver, { isEaten, ...options } = {}) => {
  const errors: unknown[] = [];
  const app = express();
  if (isEaten) app.use(express.json());
  app.use("/webhooks", toExpressHandler(receiver, options));
  app.use(express.json());
  app.post("/app", (request, response) => void response.json({ came: request.body }));
  const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error);
    response.status(500).end();
  };
  app.use(onError);
  return start(app, errors);
};

export const serveFastify: Serve = async (receiver, { isEaten, ...options } = {}) => {
  const errors: unknown[] = [];
  const app = Fastify({ forceCloseConnections: true });
  if (isEaten) {
    app.addHook("onRequest", (request, _reply, done) => {
      request.raw.on("end", done).resume();
    });
  }
  app.addHook("onError", async (_request, _reply, error) => void errors.push(error));
  app.register(toFastifyPlugin(receiver, { url: "/webhooks", ...options }));
  app.post("/app", async (request) => ({ came: request.body }));
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  return { origin, url: `${origin}/webhooks`, errors, close: () => app.close() };
};

export const serveHono: Serve = async (receiver, { isEaten, ...options } = {}) => {
  const errors: unknown[] = [];
  const app = new Hono();
  if (isEaten) {
    app.use(async (context, next) => {
      await context.req.json();
      await next();
    });
  }
  app.all("/webhooks", toHonoHandler(receiver, options));
  app.post("/app", async (context) => context.json({ came: await context.req.json() }));
  app.onError((error, context) => {
    errors.push(error);
    return context.body(null, 500);
  });
  return start(createAdaptorServer({ fetch: app.fetch }) as Server, errors);
};

export const serveLambda: Serve = async (receiver, { isEaten } = {}) => {
  const errors: unknown[] = [];
  const handler = toLambdaHandler(receiver);
  // Middy's httpJsonBodyParser does the same.
  const parseFirst: typeof handler = (event) =>
    handler({ ...event, body: JSON.parse(event.body ?? "null") });
  return start(gateway(isEaten ? parseFirst : handler, errors), errors);
};

async function start(handler: RequestListener | Server, errors: unknown[]): Promise<Running> {
  const { origin, close } = await startServer(handler);
  return { origin, url: `${origin}/webhooks`, errors, close };
}
