import { withBanner } from "./banner.ts";
import type { Document, Schema } from "./document.ts";

/** Renders the known values of each open set (`x-extensible-enum`). */
export function renderKnownValues(document: Document): string {
  const sets = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    setsOf(name, schema),
  );
  return withBanner(`
/**
 * The known values of each open set. The service may send others. The values of NetworkCode and
 * BankProvider are placeholders for the codes of a deployment, except OPEN_BANKING.
 */
export const knownValues = {
${sets.map(([name, values]) => `  "${name}": ${JSON.stringify(values)},`).join("\n")}
} as const;

/** The name of an open set: a schema, or a schema and a property. */
export type OpenSet = keyof typeof knownValues;

/** A known value of an open set. */
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
