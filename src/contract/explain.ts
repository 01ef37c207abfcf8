import type { RequirementId } from "../../generated/requirements.ts";
import type { ShapeError } from "../../generated/validators.js";
import { type Finding, findingOf } from "./finding.ts";
import { type Spot, spotAt } from "./place.ts";
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
  return errors.map((error) => explainOne(subject, payload, error));
}

function explainOne(subject: Subject, payload: unknown, error: ShapeError): Finding {
  const path = pathOf(error);
  const spot = spotAt(subject.place, payload, path);
  const requirement = requirementOf(error, spot) ?? subject.fallback;
  const expected = wordsFor(error, spot.union);
  const actual = describe(spot.value, path);
  return findingOf(requirement, `${subject.name} ${path || "(body)"}`, { path, expected, actual });
}

/**
 * A missing member and a wrong tag are told of the object; people look for them at their own place.
 */
function pathOf({ keyword, instancePath, params }: ShapeError): string {
  if (keyword === "required") return `${instancePath}/${params["missingProperty"]}`;
  return keyword === "discriminator" ? `${instancePath}/${params["tag"]}` : instancePath;
}

function requirementOf({ keyword }: ShapeError, spot: Spot): RequirementId | undefined {
  const { value, own, closest, above } = spot;
  if (keyword === "format") return spot.format;
  // BTX-02: a bound is what is said last of a member.
  if (keyword === "exclusiveMinimum") return own?.requirements?.at(-1) ?? above;
  // Whether a member is there or is null is said of the member; its type says the rest.
  const isOfMember = (value === undefined || value === null) && above !== undefined;
  if (!isOfMember) return closest ?? above;
  // A member that names the requirement of its table breaks that one.
  const isOfTable = own?.requirements?.includes(above) ?? true;
  return isOfTable ? above : own?.requirements?.[0];
}
