import type { EventName, EventPayloads } from "../../../generated/events.ts";

/** A delivery as a capture records it. */
export interface Delivery<Name extends EventName = EventName> {
  readonly headers: { readonly "webhook-event-type": Name };
  readonly body: EventPayloads[Name];
}

/** Named deliveries in order. Spread the object to replace one. */
export type Scenario = Readonly<Record<string, Delivery>>;

/** Creates a delivery from an event name and a body. */
export function deliver<Name extends EventName>(
  name: Name,
  body: EventPayloads[Name],
): Delivery<Name> {
  return { headers: { "webhook-event-type": name }, body };
}

/** Joins scenarios and single deliveries. */
export function history(...parts: readonly (Scenario | Delivery)[]): readonly Delivery[] {
  return parts.flatMap((part) => (isDelivery(part) ? [part] : Object.values(part)));
}

/** A copy of the delivery with a changed body. */
export function altered<Name extends EventName>(
  { headers, body }: Delivery<Name>,
  change: (body: EventPayloads[Name]) => void,
): Delivery<Name> {
  const copy = structuredClone(body);
  change(copy);
  return { headers, body: copy };
}

/** The scenario without some of its deliveries. */
export function without<Of extends Scenario>(
  scenario: Of,
  ...names: (keyof Of & string)[]
): Scenario {
  return Object.fromEntries(
    Object.entries(scenario).filter(([name]) => !names.some((left) => left === name)),
  );
}

/** The same content in other bytes: the members of every object in the opposite order. */
export function respelled(delivery: Delivery): Delivery {
  return { ...delivery, body: inReverse(delivery.body) as Delivery["body"] };
}

function inReverse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inReverse);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, inReverse(member)]));
}

function isDelivery(part: Scenario | Delivery): part is Delivery {
  return "headers" in part && "body" in part;
}
