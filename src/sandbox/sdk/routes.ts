import { Hono } from "hono";
import type { Service } from "../service.ts";

/** The SDK stand-in, and what its form calls. */
export function sdkApp(_service: Service): Hono {
  return new Hono();
}
