import type { Place } from "../../generated/places.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import type { ShapeError } from "../../generated/validators.js";
import { type Finding, findingOf } from "./finding.ts";
import { placesTo } from "./place.ts";
import { pointerOf, segmentsOf, valueAt } from "./pointer.ts";
import { describe, wordsFor } from "./words.ts";

/** What a payload is, for those who explain what is wrong with it. */
export interface Subject {
  /** The event or operation, as findings name it. */
  readonly name: string;
  /** The named place of the contract that the payload starts from. */
  readonly place: string;
  /** The requirement to name where the contract names none. */
  readonly fallback: RequirementId;
}

/**
 * Turns what a validator found into findings, one a fault, each with the closest requirement that
 * the contract names at the place.
 */
export function explain(
  subject: Subject,
  payload: unknown,
  errors: readonly ShapeError[],
): Finding[] {
  return withoutEchoes(errors).map((error) => explainOne(subject, payload, error));
}

function explainOne(subject: Subject, payload: unknown, error: ShapeError): Finding {
  const pointer = pointerTo(error);
  const trail = placesTo(subject.place, payload, pointer);
  const value = valueAt(payload, pointer);
  const requirement = requirementOf(error, value, trail) ?? subject.fallback;
  const path = pointerOf(pointer);
  const expected = wordsFor(error, trail.flat());
  const actual = describe(value, pointer.at(-1));
  return findingOf(requirement, `${subject.name} ${path || "(body)"}`, { path, expected, actual });
}

/**
 * A missing member and a wrong tag are told of the object; people look for them at their own place.
 */
function pointerTo({ keyword, instancePath, params }: ShapeError): string[] {
  const object = segmentsOf(instancePath);
  if (keyword === "required") return [...object, String(params.missingProperty)];
  if (keyword === "discriminator") return [...object, String(params.tag)];
  return object;
}

function requirementOf(
  { keyword }: ShapeError,
  value: unknown,
  trail: Place[][],
): RequirementId | undefined {
  const last = trail.at(-1) ?? [];
  if (keyword === "format") return last.findLast((place) => place.format)?.format;
  const above = trail.slice(0, -1).flat();
  // Whether a member is there, is null or keeps a bound is said of the member; its type says the
  // rest.
  const isOfMember = value === undefined || value === null || keyword === "exclusiveMinimum";
  const here = isOfMember && above.length > 0 ? last.slice(0, 1) : last;
  return [...above, ...here].findLast((place) => place.requirements)?.requirements?.[0];
}

/**
 * Drops what only echoes another error: a value of the wrong type is none of a closed set either,
 * and one that may be null fails the null branch, the other branch and the union of both.
 */
function withoutEchoes(errors: readonly ShapeError[]): ShapeError[] {
  const at = new Set(errors.map(({ instancePath, keyword }) => `${keyword} ${instancePath}`));
  const isThere = (keyword: string, path: string) => at.has(`${keyword} ${path}`);
  const wrongInside = new Set<string>();
  for (const { instancePath } of errors) {
    const segments = instancePath.split("/");
    while (segments.pop() !== undefined) wrongInside.add(segments.join("/"));
  }
  return errors.filter(({ keyword, instancePath: path }) => {
    if (keyword === "enum") return !isThere("type", path);
    // An object that is wrong inside is told from the inside, anything else by the union.
    if (keyword === "anyOf") return !wrongInside.has(path) && !isThere("required", path);
    return keyword !== "type" || !isThere("anyOf", path);
  });
}
