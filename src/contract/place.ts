import { type Place, placeNamed } from "../../generated/places.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "./pointer.ts";

/** Where the path of an error leads to in the contract. */
export interface Spot {
  /** The value there; undefined where there is none. */
  readonly value: unknown;
  /** The member's own place; undefined outside the contract. */
  readonly own: Place | undefined;
  /** The closest requirement that its place, or a named place that this refers to, names. */
  readonly closest: RequirementId | undefined;
  /** The closest requirement above it. */
  readonly above: RequirementId | undefined;
  /** The requirement of its format. */
  readonly format: RequirementId | undefined;
  /** The closest union above it. */
  readonly union: Place["variants"];
}

/**
 * Follows a path of the contract's own names through its places. They need no escape in a pointer.
 *
 * @param root The named place of the payload.
 * @param payload The payload itself: it tells which variant of a union applies.
 */
export function spotAt(root: string, payload: unknown, path: string): Spot {
  let value = payload;
  let own: Place | undefined = { ref: root };
  let above: RequirementId | undefined;
  let union: Place["variants"];
  for (let start = 1; start <= path.length && path !== ""; ) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    const segment = path.slice(start, end);
    let child: Place | undefined;
    for (let place = own; place; place = next(place, value)) {
      above = place.requirements?.[0] ?? above;
      union = place.variants ?? union;
      child ??= childOf(place, segment);
    }
    value = memberOf(value, segment);
    own = child;
    start = end + 1;
  }
  let closest: RequirementId | undefined;
  let format: RequirementId | undefined;
  for (let place = own; place; place = next(place, value)) {
    closest = place.requirements?.[0] ?? closest;
    format = place.format ?? format;
  }
  return { value, own, closest, above, format, union };
}

/** Is shown a place, the value there, its path and the requirement that is closest. */
export type Visit = (
  place: Place,
  value: unknown,
  path: string,
  closest: RequirementId | undefined,
) => void;

/** Calls `visit` with every place of the contract that a payload has a value at. */
export function visitPlaces(root: string, payload: unknown, visit: Visit): void {
  const walk = (own: Place, value: unknown, path: string, above: RequirementId | undefined) => {
    let closest = above;
    for (let at: Place | undefined = own; at; at = next(at, value)) {
      closest = at.requirements?.[0] ?? closest;
    }
    for (let at: Place | undefined = own; at; at = next(at, value)) {
      visit(at, value, path, closest);
      if (typeof value !== "object" || value === null) continue;
      if (at.items && Array.isArray(value)) {
        const item = placeOf(at.items) ?? {};
        for (let i = 0; i < value.length; i++) walk(item, value[i], `${path}/${i}`, closest);
      }
      for (const name in at.properties) {
        const member = memberOf(value, name);
        const child = placeOf(at.properties[name]);
        if (child && member !== undefined) walk(child, member, `${path}/${name}`, closest);
      }
    }
  };
  walk({ ref: root }, payload, "", undefined);
}

/** The named place that a place refers to, be it as the variant of a union that fits the value. */
function next({ ref, variants }: Place, value: unknown): Place | undefined {
  if (ref !== undefined) return placeNamed(ref);
  const tag = variants && memberOf(value, variants.property);
  const variant = typeof tag === "string" ? variants?.of[tag] : undefined;
  return variant === undefined ? undefined : placeNamed(variant);
}

function childOf({ items, properties }: Place, segment: string): Place | undefined {
  if (items) return placeOf(items);
  return properties && Object.hasOwn(properties, segment)
    ? placeOf(properties[segment])
    : undefined;
}

function placeOf(place: Place | string | undefined): Place | undefined {
  return typeof place === "string" ? { ref: place } : place;
}
