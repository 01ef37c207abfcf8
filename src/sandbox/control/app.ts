import { isIP } from "node:net";
import { type Context, Hono, type Next } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import * as z from "zod";
import { badRequest, Refusal } from "../../world/refusal.ts";
import { readInput } from "../../world/schema.ts";
import { problemResponse, methodNotAllowed as refused } from "../problems.ts";
import { jsonObjectOf } from "../request-body.ts";
import type { Service } from "../service.ts";
import { controlDocument } from "./document.ts";
import { streamEvents } from "./event-stream.ts";
import { type AnyOperation, carryOut, operations } from "./operations.ts";
import { type OperationName, pathParameters, routes } from "./routes.ts";

/** The control API over HTTP. Its guard also protects the routes that are mounted after it. */
export function controlApp(service: Service): Hono {
  const app = new Hono();
  app.onError(problemResponse);
  app.use(guard);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  for (const name of Object.keys(routes) as OperationName[]) {
    const [method = "", path = ""] = routes[name].split(" ");
    const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(method, pattern, (context) => respond(name, service, context));
  }
  app.get("/events/stream", (context) => streamEvents(context, service));
  app.get("/openapi.json", (context) => context.json(controlDocument()));
  return app;
}

async function respond(name: OperationName, service: Service, context: Context): Promise<Response> {
  const { req } = context;
  const isGet = routes[name].startsWith("GET ");
  const { input = NOTHING, result, status = result ? 200 : 204 }: AnyOperation = operations[name];
  const query = queryOf(input, new URL(req.url).searchParams);
  if (!isGet) readInput(NOTHING, query);
  const given = isGet ? query : await jsonObjectOf(context);
  if (input === NOTHING) readInput(NOTHING, given);
  const path = pathParameters(name).map((parameter) => req.param(parameter));
  const response = await carryOut(service, name, [...path, given]);
  return status === 204 ? new Response(null, { status }) : Response.json(response, { status });
}

const NOTHING = z.strictObject({});

/** The query, with its numbers. */
function queryOf(schema: z.ZodType, params: URLSearchParams): Record<string, string | number> {
  const twice = [...params.keys()].find((name, at, all) => all.indexOf(name) !== at);
  if (twice !== undefined) throw badRequest(`${twice}: given more than once`);
  const fields: Readonly<Record<string, unknown>> =
    schema instanceof z.ZodObject ? schema.shape : {};
  const entries = [...params].map(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const isNumber = field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodNumber;
    return [name, isNumber && /^\d{1,15}$/.test(value) ? Number(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

function wrongMethod({ req }: Context, allowed: readonly string[]): Response {
  return problemResponse(refused(req.method, allowed));
}

const forbidden = (detail: string) => new Refusal(403, "Forbidden", detail);

/**
 * Refuses pages of other sites, because the control API needs no token. It detects them by the
 * Origin header, and DNS rebinding by the Host header.
 */
async function guard(context: Context, next: Next): Promise<void> {
  const { hostname, host } = new URL(context.req.url);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  if (!isAddress && hostname !== "localhost") {
    throw forbidden(
      `the control API accepts only an IP address or localhost as host, not ${hostname}`,
    );
  }
  const origin = context.req.header("origin");
  if (origin !== undefined && origin !== `http://${host}`) {
    throw forbidden(`the control API refuses pages of another origin, such as ${origin}`);
  }
  await next();
}
