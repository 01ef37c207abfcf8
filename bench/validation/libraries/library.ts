import type { EventName } from "../../../generated/events.ts";

/** The JSON Schema keywords that the contract's payloads use. */
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

/** Validates a parsed body and returns the number of errors; 0 means valid. */
export type Check = (body: unknown) => number;

/** The check of each measured event. */
export type Checks = Readonly<Record<MeasuredEvent, Check>>;

/** The largest event, and the two most frequent events of the bank side. */
export const MEASURED_EVENTS = [
  "transaction.updated",
  "banktransaction.created",
  "transaction.match.created",
] as const satisfies readonly EventName[];

export type MeasuredEvent = (typeof MEASURED_EVENTS)[number];

/** Compiles the checks of a library from dereferenced JSON Schemas. */
export type SetUp = (schemas: Readonly<Record<MeasuredEvent, Schema>>) => Promise<Checks>;

/** A validation library. */
export interface Library {
  readonly name: string;
  readonly setUp: SetUp;
}

/** Compiles the schema of each measured event. */
export function compileEach(
  schemas: Readonly<Record<MeasuredEvent, Schema>>,
  compile: (schema: Schema) => Check,
): Checks {
  const entries = MEASURED_EVENTS.map((event) => [event, compile(schemas[event])]);
  return Object.fromEntries(entries) as Checks;
}
