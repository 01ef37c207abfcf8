import type { EventPayloads } from "../../generated/events.ts";
import { make } from "../../src/fixtures/index.ts";

/** The n-th of many UUIDs. */
export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** The n-th of many bank transactions, which differ only in their id. */
export function bankTransaction(n: number): EventPayloads["banktransaction.created"] {
  return make("banktransaction.created", { id: uuid(n) });
}

/** A line of a capture. */
export function captureLine(event: string, body: unknown, more: object = {}): string {
  return JSON.stringify({ ...more, headers: { "webhook-event-type": event }, body });
}

interface RequestOptions {
  readonly method?: string;
  readonly contentType?: string;
}

/** A request that delivers an event. */
export function deliver(
  event: string | null,
  body: unknown,
  { method = "POST", contentType = "application/json" }: RequestOptions = {},
): Request {
  const headers = new Headers({ "content-type": contentType });
  if (event !== null) headers.set("webhook-event-type", event);
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const text = isRaw ? (body as string) : JSON.stringify(body);
  return new Request("https://consumer.example/feed", {
    method,
    headers,
    ...(method === "GET" ? {} : { body: text }),
  });
}
