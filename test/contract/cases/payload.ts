import { isDeepStrictEqual } from "node:util";
import type { EventName } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import type { OperationWithResponse } from "../../../src/contract/index.ts";
import { segmentsOf } from "../../../src/contract/pointer.ts";
import { exampleOf } from "../../support/payloads.ts";

/** The body of a delivery, with the event of its header. */
export interface DeliveryPayload {
  readonly event: string;
  readonly body: unknown;
}

/** The body of a 200 response. */
export interface ResponsePayload {
  readonly operation: OperationWithResponse;
  readonly body: unknown;
}

/** A body with its event or operation. */
export type Payload = DeliveryPayload | ResponsePayload;

/** A UUID that no example contains. */
export const OTHER_ID = "0b6a9a54-6a0e-4f7c-8d3a-1c55e0a7f912";

/** The example of an event, by the name of its file. */
export const delivery = (event: EventName, name: string): DeliveryPayload => ({
  event,
  body: exampleOf(`${event}/${name}`),
});

/** The example of an operation's response, by the name of its file. */
export const response = (operation: OperationWithResponse, name: string): ResponsePayload => ({
  operation,
  body: exampleOf(`${operations[operation].id}/${name}`),
});

/** The value at a JSON pointer. */
export function at({ body }: Payload, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>((value, segment) => memberOf(value, segment), body);
}

/** A copy with a value set at each JSON pointer. Throws if a change has no effect. */
export function change<P extends Payload>(payload: P, values: Record<string, unknown>): P {
  const changed = structuredClone(payload);
  for (const [pointer, value] of Object.entries(values)) {
    if (isDeepStrictEqual(at(changed, pointer), value))
      throw new Error(`${pointer} has that value already`);
    const [parent, member] = placeOf(changed, pointer);
    parent[member] = structuredClone(value);
  }
  return changed;
}

/** A copy without the members or elements at the JSON pointers, which must exist. */
export function without<P extends Payload>(payload: P, ...pointers: string[]): P {
  const changed = structuredClone(payload);
  for (const pointer of pointers) {
    if (at(changed, pointer) === undefined) throw new Error(`there is no value at ${pointer}`);
    const [parent, member] = placeOf(changed, pointer);
    if (Array.isArray(parent)) parent.splice(Number(member), 1);
    else delete parent[member];
  }
  return changed;
}

/** The same event or operation with another body. */
export const withBody = <P extends Payload>(payload: P, body: unknown): P => ({ ...payload, body });

const memberOf = (value: unknown, member: string) =>
  (value as Record<string, unknown> | undefined)?.[member];

function placeOf(payload: Payload, pointer: string): [Record<string, unknown>, string] {
  const cut = pointer.lastIndexOf("/");
  const parent = at(payload, pointer.slice(0, cut));
  if (typeof parent !== "object" || parent === null) throw new Error(`${pointer} has no parent`);
  return [parent as Record<string, unknown>, pointer.slice(cut + 1)];
}
