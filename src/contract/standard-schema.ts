import { type EventName, eventNames } from "../../generated/events.ts";
import type { EventBody } from "./feed-event.ts";
import type { ContractOptions } from "./networks.ts";
import { segmentsOf } from "./pointer.ts";
import { validateEvent } from "./validate.ts";

/**
 * An event's contract as a Standard Schema, which routers, forms and queues accept.
 *
 * @see https://standardschema.dev, version 1
 */
export interface EventSchema<Name extends EventName> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "txfeed";
    /** Validates a parsed JSON body. Issues are the findings at error level. */
    readonly validate: (body: unknown) => SchemaResult<EventBody<Name>>;
    readonly types?: { readonly input: EventBody<Name>; readonly output: EventBody<Name> };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path: readonly string[];
}

/** Creates the schema of an event. */
export function eventSchema<Name extends EventName>(
  name: Name,
  options?: ContractOptions,
): EventSchema<Name> {
  return { "~standard": { version: 1, vendor: "txfeed", validate } };

  function validate(body: unknown): SchemaResult<EventBody<Name>> {
    const validation = validateEvent(name, body, options);
    if (validation.ok) return { value: validation.body };
    const errors = validation.findings.filter(({ level }) => level === "error");
    return { issues: errors.map(({ message, path }) => ({ message, path: segmentsOf(path) })) };
  }
}

/** The schema of every event by its name, with the default network codes. */
export const eventSchemas = Object.fromEntries(
  eventNames.map((name) => [name, eventSchema(name)]),
) as unknown as { readonly [Name in EventName]: EventSchema<Name> };
