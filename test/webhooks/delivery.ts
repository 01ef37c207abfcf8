import type { EventName, EventPayloads } from "../../generated/events.ts";
import { readExamples } from "../document.ts";

const examples = new Map(
  readExamples()
    .filter(({ kind }) => kind === "event")
    .map(({ of, value }) => [of, value]),
);

/** A valid body. */
export function bodyOf<Name extends EventName>(name: Name): EventPayloads[Name] {
  return structuredClone(examples.get(name)) as never;
}

/** The n-th of many valid bodies, each with its own id. */
export function numbered(n: number): EventPayloads["banktransaction.created"] {
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  return { ...bodyOf("banktransaction.created"), id };
}

/** A request that delivers an event. */
export function deliver(
  name: string | null,
  body: unknown,
  {
    method = "POST",
    contentType = "application/json",
  }: { method?: string; contentType?: string } = {},
): Request {
  const headers = new Headers({ "content-type": contentType });
  if (name !== null) headers.set("webhook-event-type", name);
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const text = isRaw ? (body as string) : JSON.stringify(body);
  return new Request("https://consumer.example/feed", {
    method,
    headers,
    ...(method === "GET" ? {} : { body: text }),
  });
}
