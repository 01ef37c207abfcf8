import type { Document } from "../../src/breaks/document.ts";
import { documentTypes } from "../../src/breaks/document-types.ts";
import { withBanner } from "./banner.ts";

/** Renders `types.ts`: the types of the document and of its links. */
export async function renderTypes(openapiJson: string): Promise<string> {
  const document: Document = JSON.parse(openapiJson);
  return withBanner(`${await documentTypes(document)}${LINK_TO}`);
}

/** The types of links. The symbol is not exported: no value ever has it. */
const LINK_TO = `
declare const leadsTo: unique symbol;

/**
 * A link with a known target: the path of the GET operation that returns the target. At run time it
 * is a plain \`Link\`, and any \`Link\` is assignable to it.
 */
export interface LinkTo<Path extends keyof paths> {
    /** @description The path, relative to the base address: it starts with one slash. */
    href: string;
    /** Never present at run time: it distinguishes the types of links. */
    readonly [leadsTo]?: Path;
}

/** The target path of a link type; \`never\` for a plain \`Link\` and for any other type. */
export type TargetOf<Link> = Link extends { readonly [leadsTo]?: infer Path }
    ? typeof leadsTo extends keyof Link ? Path & keyof paths : never
    : never;
`;
