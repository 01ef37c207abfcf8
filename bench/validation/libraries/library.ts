import type { EventName } from "../../../generated/events.ts";

/** The parts of JSON Schema that the contract's payloads use. */
export interface Schema {
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
  format?: string;
  pattern?: string;
  exclusiveMinimum?: number;
  additionalProperties?: boolean;
}

/** Counts the faults that are told of a parsed body; 0 says that it is sound. */
export type Check = (body: unknown) => number;

/** The check of each payload that is measured. */
export type Checks = Readonly<Record<MeasuredEvent, Check>>;

/** The events whose payloads are measured: the heaviest, and the two most frequent of the bank. */
export const MEASURED_EVENTS = [
  "transaction.updated",
  "banktransaction.created",
  "transaction.match.created",
] as const satisfies readonly EventName[];

export type MeasuredEvent = (typeof MEASURED_EVENTS)[number];

/**
 * A way to check payloads. `setUp` gets the schemas, dereferenced; who writes schemas in a language
 * of his own does without them.
 */
export interface Library {
  readonly name: string;
  readonly setUp: (schemas: Readonly<Record<MeasuredEvent, Schema>>) => Promise<Checks>;
}

/** Makes the checks of a library that compiles JSON Schema. */
export function compileEach(
  schemas: Readonly<Record<MeasuredEvent, Schema>>,
  compile: (schema: Schema) => Check,
): Checks {
  const entries = MEASURED_EVENTS.map((event) => [event, compile(schemas[event])]);
  return Object.fromEntries(entries) as Checks;
}
