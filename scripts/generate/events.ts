import { withBanner } from "./banner.ts";
import { type Document, eventSchemas } from "./document.ts";

/** Renders the map from event name to payload type, and the names as a value. */
export function renderEvents(document: Document): string {
  const events = eventSchemas(document);
  const payload = ([event, schema]: [string, string]) =>
    `  /** ${document.webhooks[event]?.post.summary}. */\n` +
    `  ${JSON.stringify(event)}: components["schemas"]["${schema}"];`;
  return withBanner(`
import type { components } from "./types.ts";

/**
 * The payload of each webhook event, by the name that the header \`webhook-event-type\` carries
 * (WHK-01).
 */
export interface EventPayloads {
${events.map(payload).join("\n")}
}

/** The name of a webhook event. */
export type EventName = keyof EventPayloads;

/** Every event name, in the order of the contract. */
export const eventNames = [
${events.map(([event]) => `  ${JSON.stringify(event)},`).join("\n")}
] as const satisfies readonly EventName[];
`);
}
