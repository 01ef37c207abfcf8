import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { methodNotAllowed } from "hono/method-not-allowed";
import * as z from "zod";
import { pageApp } from "../page/routes.ts";
import { problemOf } from "../problem.ts";
import { read } from "../read.ts";
import { badRequest, Refusal } from "../refusal.ts";
import { sdkApp } from "../sdk/routes.ts";
import type { Service } from "../service.ts";
import type { VerbName } from "../verbs/params.ts";
import type { Control } from "./control.ts";
import { controlDocument } from "./document.ts";
import { streamEvents } from "./event-stream.ts";
import { guard } from "./guard.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";

const MOUNTED_AT = "/_sandbox";
const MOST_BYTES = 1_000_000;

/** The parameters of queries that are numbers. */
const NUMBERS = new Set(["after", "limit"]);

/** Of what takes nothing. */
const nothing = z.strictObject({});

/** The control API over HTTP, with the page and the SDK stand-in; mounted at `/_sandbox`. */
export function controlApp(service: Service): Hono {
  const { control } = service;
  const app = new Hono();
  app.onError(problemOf);
  // What the stand-in's form calls is for pages of any site, and asks for a token.
  app.route("/", sdkApp(service));
  app.use(guard);
  app.use(
    methodNotAllowed({ app, onMethodNotAllowed: ({ req }, allowed) => wrongMethod(req, allowed) }),
  );
  app.use(bodyLimit({ maxSize: MOST_BYTES, onError: tooLarge }));
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(route.method, path, (context) => answer(route, control, context));
  }
  // A verb that there is has its own route.
  app.post("/verbs/:verb", async ({ req }) => {
    await control.trigger(req.param("verb") as VerbName);
    return new Response(null);
  });
  app.get("/events/stream", (context) => streamEvents(context, service));
  app.get("/openapi.json", (context) => context.json(controlDocument()));
  app.all("*", pageHandler(service));
  return app;
}

/** By itself: a route of its own would not tell `/_sandbox/` from `/_sandbox`. */
function pageHandler(service: Service) {
  const page = pageApp(service);
  page.notFound(({ req }) => {
    const detail = `there is nothing at ${req.method} ${req.path}; GET /_sandbox/openapi.json lists what there is`;
    return problemOf(new Refusal(404, "Not found", detail));
  });
  return (context: Context) => {
    const url = new URL(context.req.url);
    if (url.pathname === MOUNTED_AT) return context.redirect(`${MOUNTED_AT}/`);
    url.pathname = url.pathname.slice(MOUNTED_AT.length);
    return page.fetch(new Request(url, context.req.raw), context.env);
  };
}

async function answer(route: Route, control: Control, { req }: Context): Promise<Response> {
  const query = queryOf(new URL(req.url).searchParams);
  if (!route.query) read(nothing, query);
  const body = route.method === "GET" ? {} : await bodyOf(req.raw);
  if (!route.body) read(nothing, body);
  const answered = await route.run(control, { path: req.param(), query, body });
  if (route.status === 204) return new Response(null, { status: 204 });
  return Response.json(answered, { status: route.status ?? 200 });
}

function queryOf(params: URLSearchParams): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  for (const [name, value] of params) {
    if (Object.hasOwn(query, name)) throw badRequest(`${name}: it is there more than once`);
    query[name] = NUMBERS.has(name) && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return query;
}

/** A body may be left out where nothing has to be in it. */
async function bodyOf(request: Request): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength === 0) return {};
  if (!/^application\/json *(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new Refusal(415, "Unsupported media type", "the body has to be application/json");
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw badRequest("the body is not JSON");
  }
}

function tooLarge(): Response {
  const detail = `a body has at most ${MOST_BYTES} bytes`;
  const response = problemOf(new Refusal(413, "Content too large", detail));
  // What was not read of the body can't be told from a next request.
  response.headers.set("connection", "close");
  return response;
}

function wrongMethod(req: Context["req"], allowed: readonly string[]): Response {
  const detail = `${req.path} takes ${allowed.join(", ")}, not ${req.method}`;
  const response = problemOf(new Refusal(405, "Method not allowed", detail));
  response.headers.set("allow", allowed.join(", "));
  return response;
}
