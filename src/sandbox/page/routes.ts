import { Hono } from "hono";
import type { Service } from "../service.ts";

/** The page that shows a sandbox and drives it, and the hosted link flow. */
export function pageApp(_service: Service): Hono {
  return new Hono();
}
