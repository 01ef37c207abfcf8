import { eventNames } from "../../generated/events.ts";
import { operations } from "../../generated/operations.ts";
import { requirements } from "../../generated/requirements.ts";
import { responseExamples } from "../../generated/response-examples.ts";

/** Every name and value that the interface shows stands in one of these. */
const TEXT = [
  ...Object.values(requirements).map(({ text }) => text),
  ...Object.values(operations).map(({ path }) => path),
  ...Object.values(responseExamples).flatMap((shown) => shown.map(({ body }) => namesIn(body))),
  ...eventNames,
  // What JSON over HTTP is made of.
  "true false null application/json charset utf-8 bearer basic",
]
  .join("\n")
  .toLowerCase();

/** The names of members, and the values that are codes. */
function namesIn(body: unknown): string {
  return (JSON.stringify(body).match(/"\w+":|"[A-Z_]+"/g) ?? []).join("\n");
}

/** Shorter values stand in too many innocent words to be looked for. */
const SHORTEST = 6;

/**
 * How a value can be looked for in what a target sends:
 * - `anywhere`: nothing else looks like it;
 * - `whole`: only where it is all that stands there, as a number or a part of an id may look alike;
 * - `nowhere`: it is a word of the interface, or too short. To replace it would change what the
 *   target said, and nobody could tell it for a secret.
 */
type RedactionScope = "anywhere" | "whole" | "nowhere";

export function redactionScope(value: string): RedactionScope {
  if (value.length < SHORTEST || TEXT.includes(value.toLowerCase())) return "nowhere";
  return /^[\d\W_]+$/.test(value) || /^[0-9a-f]{1,7}$/i.test(value) ? "whole" : "anywhere";
}
