import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { eventsOf, lastEventSeq } from "../event-log.ts";
import { badRequest } from "../refusal.ts";
import type { Service } from "../service.ts";

/** What happens within this time is told at once. */
const GATHERED_MS = 50;
const EVENTS_AT_ONCE = 500;

/**
 * Tells of what happens as Server-Sent Events: each new event of the log by its place in it, and
 * `change` with the status. Where the state was replaced, the new log's events from then on.
 */
export function streamEvents(context: Context, service: Service): Response {
  const { store } = service.engine;
  const resumeAfter = context.req.header("last-event-id");
  if (resumeAfter !== undefined && !/^\d{1,15}$/.test(resumeAfter)) {
    throw badRequest(`Last-Event-ID takes the id of an event, not '${resumeAfter}'`);
  }
  // An id of a log that is no more is later than its last.
  const last = lastEventSeq(store);
  const after = Math.min(Number(resumeAfter ?? last), last);
  return streamSSE(context, (stream) => tell(stream, service, after));
}

async function tell(stream: SSEStreamingApi, service: Service, after: number): Promise<void> {
  const changes = new Changes();
  const stopListening = service.engine.onCommit(() => changes.note());
  stream.onAbort(() => changes.note());
  try {
    await tellChanges(stream, service, { after, changes });
  } finally {
    stopListening();
  }
}

async function tellChanges(
  stream: SSEStreamingApi,
  service: Service,
  { after, changes }: { readonly after: number; readonly changes: Changes },
): Promise<void> {
  const { engine, control } = service;
  let toldTo = after;
  let { replacements } = engine;
  while (!stream.aborted) {
    if (engine.replacements !== replacements) {
      ({ replacements } = engine);
      toldTo = lastEventSeq(engine.store);
    }
    toldTo = await tellEvents(stream, service, toldTo);
    if (stream.aborted) return;
    await stream.writeSSE({ event: "change", data: JSON.stringify(await control.status()) });
    await changes.next();
    if (!stream.aborted) await stream.sleep(GATHERED_MS);
  }
}

async function tellEvents(stream: SSEStreamingApi, { engine }: Service, after: number) {
  let toldTo = after;
  while (!stream.aborted) {
    const events = eventsOf(engine.store, { after: toldTo, limit: EVENTS_AT_ONCE });
    if (events.length === 0) break;
    for (const event of events) {
      await stream.writeSSE({ id: String(event.seq), data: JSON.stringify(event) });
    }
    toldTo = events.at(-1)?.seq ?? toldTo;
  }
  return toldTo;
}

/** Whether anything has changed since it was last asked for. */
class Changes {
  #hasChanged = false;
  #tell: (() => void) | undefined;

  note(): void {
    this.#hasChanged = true;
    this.#tell?.();
  }

  /** Resolves once there is a change that was not asked for yet. */
  async next(): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
    this.#hasChanged = false;
    this.#tell = undefined;
  }
}
