import { type Context, Hono } from "hono";
import { Refusal } from "../world/refusal.ts";
import { controlApp } from "./control/app.ts";
import { interfaceApp } from "./http/app.ts";
import { pageApp } from "./page/routes.ts";
import { problemResponse } from "./problems.ts";
import { sdkApp } from "./sdk/routes.ts";
import type { Service } from "./service.ts";

const MOUNTED_AT = "/_sandbox";

/** Everything that a sandbox serves: the interface, and what is below `/_sandbox`. */
export function sandboxApp(service: Service): Hono {
  const own = new Hono().basePath(MOUNTED_AT);
  // Pages of any site may call the routes of the SDK's form, which require a token.
  own.route("/", sdkApp(service));
  own.route("/", controlApp(service));
  own.all("*", pageHandler(service));
  const app = new Hono();
  // A separate router: with the control API's paths, Hono can't use its fastest router.
  app.all(`${MOUNTED_AT}/*`, ({ req, env }) => own.fetch(req.raw, env));
  return app.route("/", interfaceApp(service));
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
