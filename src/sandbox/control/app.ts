import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import * as z from "zod";
import { problemResponse, methodNotAllowed as refused } from "../http/problems.ts";
import { jsonObjectOf } from "../http/request-body.ts";
import { pageApp } from "../page/routes.ts";
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

/** The parameters of queries that are numbers. */
const NUMBERS = new Set(["after", "limit"]);

/** Of what takes nothing; what takes something is checked by the control. */
const nothing = z.strictObject({});

/** The control API over HTTP, with the page and the SDK stand-in; mounted at `/_sandbox`. */
export function controlApp(service: Service): Hono {
  const { control } = service;
  const app = new Hono();
  app.onError(problemResponse);
  // What the stand-in's form calls is for pages of any site, and asks for a token.
  app.route("/", sdkApp(service));
  app.use(guard);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
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
    const what = `there is nothing at ${req.method} ${MOUNTED_AT}${req.path}`;
    const detail = `${what}; GET ${MOUNTED_AT}/openapi.json lists what there is`;
    return problemResponse(new Refusal(404, "Not found", detail));
  });
  return (context: Context) => {
    const url = new URL(context.req.url);
    if (url.pathname === MOUNTED_AT) return context.redirect(`${MOUNTED_AT}/`);
    url.pathname = url.pathname.slice(MOUNTED_AT.length);
    return page.fetch(new Request(url, context.req.raw), context.env);
  };
}

async function answer(route: Route, control: Control, context: Context): Promise<Response> {
  const { req } = context;
  const query = queryOf(new URL(req.url).searchParams);
  if (!route.query) read(nothing, query);
  const body = route.method === "GET" ? {} : await jsonObjectOf(context);
  if (!route.body) read(nothing, body);
  const answered = await route.run(control, { path: req.param(), query, body });
  if (route.status === 204) return new Response(null, { status: 204 });
  return Response.json(answered, { status: route.status ?? 200 });
}

function queryOf(params: URLSearchParams): Record<string, string | number> {
  const twice = [...params.keys()].find((name, at, all) => all.indexOf(name) !== at);
  if (twice !== undefined) throw badRequest(`${twice}: it is there more than once`);
  const isNumber = (name: string, value: string) => NUMBERS.has(name) && /^\d{1,15}$/.test(value);
  const entries = [...params].map(([name, value]) => {
    return [name, isNumber(name, value) ? Number(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

function wrongMethod({ req }: Context, allowed: readonly string[]): Response {
  return problemResponse(refused(req.method, allowed));
}
