import { type Place, places } from "../../generated/places.ts";
import { memberOf } from "./pointer.ts";

/**
 * Follows a JSON pointer through the contract's places.
 *
 * @param root The named place of the payload.
 * @param payload The payload itself: it tells which variant of a union applies.
 * @returns the places on the way, a group for the payload itself and one for each segment. In a
 * group the member's own place comes first, then the named places that it refers to.
 */
export function placesTo(root: string, payload: unknown, pointer: readonly string[]): Place[][] {
  let value = payload;
  let here = resolve({ ref: root }, value);
  const trail = [here];
  for (const segment of pointer) {
    const child = childIn(here, segment);
    value = memberOf(value, segment);
    here = child ? resolve(child, value) : [];
    trail.push(here);
  }
  return trail;
}

/** Calls `visit` with every place of the contract that a payload has a value at. */
export function visitPlaces(
  root: string,
  payload: unknown,
  visit: (place: Place, value: unknown) => void,
): void {
  const walk = (start: Place, value: unknown): void => {
    const here = resolve(start, value);
    for (const place of here) visit(place, value);
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const child = childIn(here, name);
      if (child) walk(child, member);
    }
  };
  walk({ ref: root }, payload);
}

/** A place with what it refers to, down to the variant of a union that fits the value. */
function resolve(place: Place, value: unknown): Place[] {
  const tag = place.variants && memberOf(value, place.variants.property);
  const next = place.ref ?? (typeof tag === "string" ? place.variants?.of[tag] : undefined);
  const named = next === undefined ? undefined : places[next];
  return named ? [place, ...resolve(named, value)] : [place];
}

function childIn(group: readonly Place[], segment: string): Place | undefined {
  for (const { items, properties } of group) {
    if (items && /^\d+$/.test(segment)) return items;
    if (properties && Object.hasOwn(properties, segment)) return properties[segment];
  }
  return undefined;
}
