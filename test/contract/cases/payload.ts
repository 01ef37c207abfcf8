import { isDeepStrictEqual } from "node:util";
import type { EventName } from "../../../generated/events.ts";
import { responseExamples } from "../../../generated/response-examples.ts";
import type { OperationWithResponse } from "../../../src/contract/index.ts";
import { segmentsOf } from "../../../src/contract/pointer.ts";
import { make, type VariantName } from "../../../src/fixtures/index.ts";

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

/** A variant of an event's payload. Default: the first. */
export const delivery = <Name extends EventName>(
  event: Name,
  variant?: VariantName<Name>,
): DeliveryPayload => ({ event, body: make(event, undefined, { variant }) });

/** The example of an operation's response. Default: the first. */
export function response(operation: OperationWithResponse, name?: string): ResponsePayload {
  const [first, ...others] = responseExamples[operation];
  const example = name ? [first, ...others].find((one) => one.name === name) : first;
  if (!example) throw new Error(`${operation} has no example ${name}`);
  return { operation, body: example.body };
}

/** The body of {@link delivery} or {@link response}. Default: the first. */
export function bodyOf(of: string, name?: string): Record<string, unknown> {
  const { body } = of.includes(" ")
    ? response(of as OperationWithResponse, name)
    : delivery(of as EventName, name as undefined);
  return body as Record<string, unknown>;
}

/** The page in offset style, with these links. */
export function byOffset(page: ResponsePayload, links: Record<string, string>): ResponsePayload {
  const hrefs = Object.entries(links).map(([name, href]) => [name, { href }]);
  const body = { ...(page.body as object), _links: Object.fromEntries(hrefs), totalItems: 4 };
  return { ...page, body };
}

/** The page without items: the only one. */
export function emptied(page: ResponsePayload): ResponsePayload {
  const { _links, _embedded } = page.body as Record<string, Record<string, unknown>>;
  const embedded = Object.keys(_embedded ?? {}).map((name) => [name, []]);
  const body = { _links: { self: _links?.["self"] }, _embedded: Object.fromEntries(embedded) };
  return { ...page, body };
}

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

/** A purchase that two legs settled, of 120 and 180. */
export const LEGS = change(delivery("transaction.updated", "settled-by-network"), {
  "/transactionSettledAmount": 300,
  "/cardholderBillingSettledAmount": 300,
  "/supersededMessageIds": [],
  "/_embedded/messages/1/superseded": false,
  "/_embedded/messages/1/transactionAmount": 120,
  "/_embedded/messages/1/cardholderBillingAmount": 120,
  "/_embedded/messages/2/transactionAmount": 180,
  "/_embedded/messages/2/cardholderBillingAmount": 180,
});
