import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { badRequest } from "../../world/refusal.ts";
import { eventsOf } from "../event-log.ts";
import type { Service } from "../service.ts";

/** Changes within this time are reported together. */
const GATHERED_MS = 50;
const EVENTS_AT_ONCE = 500;

/**
 * Streams changes as Server-Sent Events: each new event of the log with its number as the id, and
 * `change` with the status. After the state is replaced, it sends only later events of the new log.
 */
export function streamEvents(context: Context, service: Service): Response {
  const { store } = service.engine;
  const resumeAfter = context.req.header("last-event-id");
  if (resumeAfter !== undefined && !/^\d{1,15}$/.test(resumeAfter)) {
    throw badRequest(`Last-Event-ID takes the id of an event, not "${resumeAfter}"`);
  }
  // The id may be of an earlier log, and beyond the end of this one.
  const last = store.lastEvent();
  const after = Math.min(Number(resumeAfter ?? last), last);
  return streamSSE(context, (stream) => streamLog(stream, service, after));
}

async function streamLog(stream: SSEStreamingApi, service: Service, after: number): Promise<void> {
  const { engine, control } = service;
  let change = Promise.withResolvers<void>();
  const note = () => change.resolve();
  const stopListening = engine.onCommit(note);
  stream.onAbort(note);
  let lastSent = after;
  let { replacements } = engine;
  try {
    while (!stream.aborted) {
      change = Promise.withResolvers();
      if (engine.replacements !== replacements) {
        ({ replacements } = engine);
        lastSent = engine.store.lastEvent();
      }
      lastSent = await sendEvents(stream, service, lastSent);
      if (stream.aborted) return;
      await stream.writeSSE({ event: "change", data: JSON.stringify(await control.status()) });
      await change.promise;
      if (!stream.aborted) await stream.sleep(GATHERED_MS);
    }
  } finally {
    stopListening();
  }
}

async function sendEvents(stream: SSEStreamingApi, { engine }: Service, after: number) {
  let lastSent = after;
  while (!stream.aborted) {
    const events = eventsOf(engine.store, { after: lastSent, limit: EVENTS_AT_ONCE });
    if (events.length === 0) break;
    for (const event of events) {
      await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) });
    }
    lastSent = events.at(-1)?.seq ?? lastSent;
  }
  return lastSent;
}
