import { eventNames } from "../../generated/events.ts";
import { operations } from "../../generated/operations.ts";
import { requirements } from "../../generated/requirements.ts";
import { responseExamples } from "../../generated/response-examples.ts";

/** Text that contains every name and value of the interface. */
const TEXT = [
  ...Object.values(requirements).map(({ text }) => text),
  ...Object.values(operations).map(({ path }) => path),
  ...Object.values(responseExamples).flatMap((shown) => shown.map(({ body }) => namesIn(body))),
  ...eventNames,
  // Common words of JSON over HTTP.
  "true false null application/json charset utf-8 bearer basic",
]
  .join("\n")
  .toLowerCase();

/** The member names of a body, and its values in capitals. */
function namesIn(body: unknown): string {
  return (JSON.stringify(body).match(/"\w+":|"[A-Z_]+"/g) ?? []).join("\n");
}

/** Minimum length of a redacted value: shorter ones are part of too many words. */
const SHORTEST = 6;

/**
 * How a value is redacted in the target's responses:
 * - `anywhere`: as part of any text, because the value is distinctive;
 * - `whole`: only as a complete value, because numbers and parts of ids may look the same;
 * - `nowhere`: not at all, because it is a word of the interface or too short. Replacing it would
 *   change the response, and it can't be recognized as a secret.
 */
type RedactionScope = "anywhere" | "whole" | "nowhere";

export function redactionScope(value: string): RedactionScope {
  if (value.length < SHORTEST || TEXT.includes(value.toLowerCase())) return "nowhere";
  return /^[\d\W_]+$/.test(value) || /^[0-9a-f]{1,7}$/i.test(value) ? "whole" : "anywhere";
}
