import { withBanner } from "./banner.ts";
import type { Document, Schema } from "./document.ts";

/** Renders the values that the contract shows of each open set (`x-extensible-enum`). */
export function renderKnownValues(document: Document): string {
  const sets = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    setsOf(name, schema),
  );
  return withBanner(`
/**
 * The values that the contract shows of each open set; the service may send others. Those of
 * NetworkCode and BankProvider are placeholders of the deployment's codes, except OPEN_BANKING.
 */
export const knownValues = {
${sets.map(([name, values]) => `  "${name}": ${JSON.stringify(values)},`).join("\n")}
} as const;

/** The name of an open set: its schema, or the schema and property that has it. */
export type OpenSet = keyof typeof knownValues;

/** A value that the contract shows of an open set. */
export type KnownValue<Set extends OpenSet> = (typeof knownValues)[Set][number];
`);
}

function setsOf(name: string, schema: Schema): [name: string, values: readonly string[]][] {
  const shown = schema["x-extensible-enum"];
  const nested = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    setsOf(`${name}.${key}`, property),
  );
  return shown ? [[name, shown], ...nested] : nested;
}
