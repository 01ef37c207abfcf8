import { isIP } from "node:net";
import { type Context, Hono, type Next } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { type InputSchema, inputSchemas } from "../../../generated/control-operations.ts";
import type { VerbName } from "../../../generated/control-types.ts";
import { badRequest, Refusal } from "../../world/refusal.ts";
import { controlDocument } from "../contract-document.ts";
import { problemResponse, methodNotAllowed as refused } from "../http/problems.ts";
import { jsonObjectOf } from "../http/request-body.ts";
import { pageApp } from "../page/routes.ts";
import { sdkApp } from "../sdk/routes.ts";
import type { Service } from "../service.ts";
import type { Control } from "./control.ts";
import { streamEvents } from "./event-stream.ts";
import { type Route, routes } from "./routes.ts";

const MOUNTED_AT = "/_sandbox";

/** The control API over HTTP, with the page and the SDK stand-in; mounted at `/_sandbox`. */
export function controlApp(service: Service): Hono {
  const { control } = service;
  const app = new Hono();
  app.onError(problemResponse);
  // Pages of any site may call the routes of the SDK's form, which require a token.
  app.route("/", sdkApp(service));
  app.use(guard);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(route.method, path, (context) => respond(route, control, context));
  }
  // Known verbs have routes of their own.
  app.post("/verbs/:verb", async ({ req }) => {
    await control.trigger(req.param("verb") as VerbName);
    return new Response(null);
  });
  app.get("/events/stream", (context) => streamEvents(context, service));
  app.get("/openapi.json", (context) => {
    const headers = { "content-type": "application/json" };
    return context.body(controlDocument(), { headers });
  });
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

async function respond(route: Route, control: Control, context: Context): Promise<Response> {
  const { req } = context;
  const query = queryOf(route, new URL(req.url).searchParams);
  if (!route.query) readNothing(query);
  const body = route.method === "GET" ? {} : await jsonObjectOf(context);
  if (!route.body) readNothing(body);
  const call = { path: req.param(), query: query as never, body: body as never };
  const response = await route.run(control, call);
  const { status } = route;
  return status === 204 ? new Response(null, { status }) : Response.json(response, { status });
}

/** Throws a Refusal 400 for a query or a body that the operation does not take. */
function readNothing(input: object): void {
  const [name] = Object.keys(input);
  if (name !== undefined) throw badRequest(`${name}: unknown parameter`);
}

/** The query, with its integers as numbers. The control checks it. */
function queryOf(route: Route, params: URLSearchParams): Record<string, string | number> {
  const twice = [...params.keys()].find((name, at, all) => all.indexOf(name) !== at);
  if (twice !== undefined) throw badRequest(`${twice}: given more than once`);
  const { properties = {} }: InputSchema = route.query ? inputSchemas[route.query] : {};
  const entries = [...params].map(([name, value]) => {
    const isInteger = Object.hasOwn(properties, name) && properties[name]?.type === "integer";
    return [name, isInteger && /^\d{1,15}$/.test(value) ? Number(value) : value] as const;
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
