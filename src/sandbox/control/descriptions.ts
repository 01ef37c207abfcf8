import { jsonSchemaOf } from "../../world/schema.ts";
import { verbs } from "../../world/verbs/index.ts";
import type { VerbDescription } from "./types.ts";

// A module of its own: its published types must import neither the verbs nor zod.

/** Describes every verb, in the order in which lists show them. Needs no running sandbox. */
export function verbDescriptions(): VerbDescription[] {
  return Object.values(verbs).map(({ name, summary, requirements, params, example }) => ({
    name,
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    requirements,
    params: { ...jsonSchemaOf(params), examples: [example] },
  }));
}
