import { Hono } from "hono";
import type { Service } from "../service.ts";

/** The control API over HTTP, with the page and the SDK stand-in; mounted at `/_sandbox`. */
export function controlApp(_service: Service): Hono {
  return new Hono();
}
