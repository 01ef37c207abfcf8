import { isIP } from "node:net";
import { type Context, Hono, type Next } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import * as z from "zod";
import { badRequest, Refusal } from "../../world/refusal.ts";
import { readInput } from "../../world/schema.ts";
import { problemResponse, methodNotAllowed as refused } from "../http/problems.ts";
import { jsonObjectOf } from "../http/request-body.ts";
import { pageApp } from "../page/routes.ts";
import { sdkApp } from "../sdk/routes.ts";
import type { Service } from "../service.ts";
import { controlDocument } from "./document.ts";
import { streamEvents } from "./event-stream.ts";
import { type AnyOperation, carryOut, operations } from "./operations.ts";
import { type OperationName, pathParameters, routes } from "./routes.ts";

const MOUNTED_AT = "/_sandbox";

/** The control API over HTTP, with the page and the SDK stand-in; mounted at `/_sandbox`. */
export function controlApp(service: Service): Hono {
  const app = new Hono();
  app.onError(problemResponse);
  // Pages of any site may call the routes of the SDK's form, which require a token.
  app.route("/", sdkApp(service));
  app.use(guard);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  for (const name of Object.keys(routes) as OperationName[]) {
    const [method = "", path = ""] = routes[name].split(" ");
    const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(method, pattern, (context) => respond(name, service, context));
  }
  app.get("/events/stream", (context) => streamEvents(context, service));
  app.get("/openapi.json", (context) => context.json(controlDocument()));
  app.all("*", pageHandler(service));
  return app;
}

/** Serves the page. A route could not distinguish `/_sandbox/` from `/_sandbox`. */
function pageHandler(service: Service) {
  const page = pageApp(service);
  page.notFound(({ req }) => {
    const what = `there is nothing at ${req.method} ${MOUNTED_AT}${req.path}`;
    const detail = `${what}; GET ${MOUNTED_AT}/openapi.json lists all operations`;
    return problemResponse(new Refusal(404, "Not found", detail));
  });
  return (context: Context) => {
    const url = new URL(context.req.url);
    if (url.pathname === MOUNTED_AT) return context.redirect(`${MOUNTED_AT}/`);
    url.pathname = url.pathname.slice(MOUNTED_AT.length);
    return page.fetch(new Request(url, context.req.raw), context.env);
  };
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
