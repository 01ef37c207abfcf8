import type { Document } from "../../src/breaks/document.ts";
import { documentTypes } from "../../src/breaks/document-types.ts";
import { withBanner } from "./banner.ts";
import { type Document as Contract, eventSchemas } from "./document.ts";

/** Renders `types.ts`: the types of the document, and those of its links. */
export async function renderTypes(openapiJson: string): Promise<string> {
  const document: Document = JSON.parse(openapiJson);
  return withBanner(`${await documentTypes(document)}${LINK_TO}`);
}

/** What the types of links are made of. The symbol is not exported: no value ever has it. */
const LINK_TO = `
declare const leadsTo: unique symbol;

/**
 * A link of which the contract says where it leads: the path of the GET operation that answers with
 * what it leads to. Just a \`Link\` when it runs, and one that is written by hand is one too.
 */
export interface LinkTo<Path extends keyof paths> {
    /** @description The path, relative to the base address: it starts with one slash. */
    href: string;
    /** Never there: it only tells the types of links apart. */
    readonly [leadsTo]?: Path;
}

/** The path that a link leads to by its type: \`never\` for a plain \`Link\` and for no link. */
export type TargetOf<Link> = Link extends { readonly [leadsTo]?: infer Path }
    ? typeof leadsTo extends keyof Link ? Path & keyof paths : never
    : never;
`;

/** Renders the map from event name to payload type, and the names as a value. */
export function renderEvents(document: Contract): string {
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
