import { Hono } from "hono";
import type { Service } from "../service.ts";

/** The interface over HTTP: every operation of the contract. */
export function interfaceApp(_service: Service): Hono {
  return new Hono();
}
