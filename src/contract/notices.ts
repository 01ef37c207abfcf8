import type { Place } from "../../generated/places.ts";
import type { Subject } from "./explain.ts";
import { type Finding, noticeOf } from "./finding.ts";
import type { Networks } from "./networks.ts";
import { visitPlaces } from "./place.ts";
import { describe } from "./words.ts";

/** What stands in the contract for the codes that are configured. */
const PLACEHOLDERS = new Map<string, keyof Networks>([
  ["NETWORK_A", "a"],
  ["NETWORK_B", "b"],
  ["NETWORK_C", "c"],
]);

/** Nobody reads the thousandth notice of one payload. */
const MOST_NOTICES = 1000;

/**
 * Tells of each value that an open set or an open type does not show (MSG-10, TXN-04 and the like),
 * never as a fault: the interface may grow by such values (VER-01).
 */
export function noticesOf(subject: Subject, payload: unknown, networks: Networks): Finding[] {
  const notices: Finding[] = [];
  visitPlaces(subject.place, payload, (asked, value, path, closest) => {
    if (notices.length === MOST_NOTICES) return;
    const expected = shownInstead(asked, value, networks);
    if (expected === undefined) return;
    const actual = describe(value, path);
    const place = `${subject.name} ${path}`;
    notices.push(noticeOf(closest ?? subject.fallback, place, { path, expected, actual }));
  });
  return notices;
}

/** What is shown at a place, in words, where it is not this value. */
function shownInstead(
  { shown, form, types }: Place,
  value: unknown,
  networks: Networks,
): string | undefined {
  if (types && !types.includes(typeOf(value))) return `${types.join(" or ")}, as shown`;
  if (typeof value !== "string") return undefined;
  const known = shown?.map((one) => codeOf(one, networks));
  const isShown = known ? known.includes(value) : !form || new RegExp(form, "u").test(value);
  return isShown
    ? undefined
    : `one of those shown (${known ? known.join(", ") : `like /${form}/`})`;
}

/** The type of a value, as a schema names it. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function codeOf(shown: string, networks: Networks): string {
  const network = PLACEHOLDERS.get(shown);
  return network ? networks[network] : shown;
}
