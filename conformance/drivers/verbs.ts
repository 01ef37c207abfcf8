import {
  type ClaimId,
  claimIds,
  claims,
  type RequirementId,
} from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { type Check, requirementOf } from "../check.ts";
import type { Verb, VerbResult } from "../driver.ts";

const isText = (value: unknown) => typeof value === "string" && value !== "";
const FITS = {
  "an id": isText,
  "four digits": (value: unknown) => /^\d{4}$/.test(String(value)) && typeof value === "string",
  "a list of ids": (value: unknown) => Array.isArray(value) && value.every(isText),
};

/** The required fields of the results. */
export const RESULT_FIELDS: {
  readonly [V in Verb]?: { readonly [Field in keyof VerbResult<V>]?: keyof typeof FITS };
} = {
  enroll: { subscriptionId: "an id", cardId: "an id", last4: "four digits" },
  submitFeed: { feedId: "an id" },
  acceptFeed: { subscriptionIds: "a list of ids" },
  startLink: { bankLinkId: "an id" },
  completeLink: { bankAccountIds: "a list of ids" },
  authorize: { transactionId: "an id", messageId: "an id" },
  clear: { messageId: "an id" },
  postAtBank: { bankTransactionId: "an id" },
  tellLate: { transactionId: "an id" },
};

/** What of a verb's result is not as the driver's types say, a line each. */
export function shapeProblems(verb: Verb, result: unknown): string[] {
  const fields = Object.entries<keyof typeof FITS>(RESULT_FIELDS[verb] ?? {});
  if (fields.length === 0) return [];
  const names = fields.map(([name]) => name).join(", ");
  if (typeof result !== "object" || result === null) {
    const actual = result === undefined ? "nothing" : JSON.stringify(result);
    return [`it returned ${actual} instead of { ${names} }`];
  }
  return fields.flatMap(([name, kind]) => {
    const value = memberOf(result, name);
    if (FITS[kind](value)) return [];
    const actual = value === undefined ? "missing" : JSON.stringify(value);
    return [`its result's ${name} is ${actual} instead of ${kind}`];
  });
}

/** What checks that need a verb decide. */
interface VerbNeed {
  readonly requirements: readonly RequirementId[];
  /** Claims of these requirements; empty if the catalogue lists none. */
  readonly claims: readonly ClaimId[];
}

/** Returns what the checks that require a verb decide. */
export function needFor(verb: Verb, checks: readonly Check[]): VerbNeed {
  const own = checks.filter(({ requires }) => requires.includes(`verb:${verb}`));
  const requirements = [...new Set(own.map(requirementOf))].sort();
  const named = new Set(own.flatMap((check) => check.claims ?? claimsOf(requirementOf(check))));
  return { requirements, claims: [...named] };
}

/** A check that names no claims decides all of its requirement. */
function claimsOf(id: RequirementId): ClaimId[] {
  return claimIds.filter((claim) => claims[claim].requirement === id);
}
