import { segmentsOf } from "../../src/contract/pointer.ts";
import { ScriptError } from "../run-script.ts";
import { withBanner } from "./banner.ts";
import {
  type Document,
  eventSchemas,
  kindOf,
  type Operation,
  operationsOf,
  resolved,
  resourceName,
  type Schema,
} from "./document.ts";

/** Renders the registry of events: the payload of each, and the facts that code derives from it. */
export function renderEvents(document: Document): string {
  const events = eventSchemas(document);
  const problems = events.flatMap(([event, schema]) => problemsOf(document, event, schema));
  if (problems.length > 0) throw new ScriptError(problems);
  const payload = ([event, schema]: [string, string]) =>
    `  /** ${operationOf(document, event).summary}. */\n` +
    `  ${JSON.stringify(event)}: components["schemas"]["${schema}"];`;
  const info = ([event, schema]: [string, string]) =>
    `  ${JSON.stringify(event)}: ${JSON.stringify(infoOf(document, event, schema))},`;
  return withBanner(`
import type { components } from "./types.ts";

/**
 * The payload of each webhook event, by the name in the header \`webhook-event-type\` (WHK-01).
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

/** What an event is about. */
export interface EventInfo {
  /** The name of its resource; absent if no operation returns it. */
  readonly resource?: string;
  /** The JSON pointer of the resource's id in the payload. */
  readonly id: string;
  /**
   * The resource by which the deliveries are ordered: its name in paths, and the JSON pointer of
   * its id, or of a link to it. Deliveries of one resource are handled one after another.
   */
  readonly orderBy: { readonly kind: string; readonly id: string };
  /** The requirements that the event implements. */
  readonly requirements: readonly string[];
}

/** The registry of events. */
export const eventInfo = {
${events.map(info).join("\n")}
} as const satisfies Record<EventName, EventInfo>;
`);
}

function infoOf(document: Document, event: string, schema: string) {
  const operation = operationOf(document, event);
  const kind = kindOf(operation);
  const id = `/${idProperty(document, schema)}`;
  const { "x-order-by": ordered } = operation;
  const orderBy = ordered ? { kind: ordered.path.split("/")[1], id: ordered.id } : { kind, id };
  const isResource = operationsOf(document).some(({ path }) => path.split("/")[1] === kind);
  const resource = isResource ? resourceName(kind) : undefined;
  return { resource, id, orderBy, requirements: operation["x-requirements"] ?? [] };
}

/** The property with the id of the event's resource: the marked one, or `id`. */
function idProperty(document: Document, schema: string): string | undefined {
  const names = payloadsOf(document, schema).map(({ properties = {} }) => {
    const marked = Object.keys(properties).find((name) => properties[name]?.["x-resource-id"]);
    return marked ?? (properties["id"] && "id");
  });
  return names.every((name) => name === names[0]) ? names[0] : undefined;
}

function problemsOf(document: Document, event: string, schema: string): string[] {
  const problems: string[] = [];
  if (idProperty(document, schema) === undefined) {
    problems.push(`spec: ${event}: ${schema} has no id: mark a property with @resourceId`);
  }
  const { id } = operationOf(document, event)["x-order-by"] ?? {};
  const isThere = (payload: Schema) => id === undefined || hasPlace(document, payload, id);
  if (!payloadsOf(document, schema).every(isThere)) {
    problems.push(`spec: ${event}: ${schema} has nothing at ${id}: correct its @orderBy`);
  }
  return problems;
}

function hasPlace(document: Document, payload: Schema, pointer: string): boolean {
  const below = (place: Schema | undefined, segment: string): Schema | undefined => {
    const { items, properties } = place ? resolved(document, place) : {};
    return items ?? properties?.[segment];
  };
  return segmentsOf(pointer).reduce(below, payload) !== undefined;
}

/** The schema of a payload, or of each of its variants. */
function payloadsOf(document: Document, name: string): Schema[] {
  const { [name]: schema = {} } = document.components.schemas;
  return schema.oneOf?.map((variant) => resolved(document, variant)) ?? [schema];
}

function operationOf(document: Document, event: string): Operation {
  return (document.webhooks[event] as { post: Operation }).post;
}
