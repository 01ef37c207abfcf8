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
 * Tells of each value that an open set does not show (MSG-10, TXN-04 and the like), never as a
 * fault: the interface may grow by such values (VER-01).
 */
export function noticesOf(subject: Subject, payload: unknown, networks: Networks): Finding[] {
  const notices: Finding[] = [];
  visitPlaces(subject.place, payload, ({ shown, form }, value, path, closest) => {
    if (typeof value !== "string" || notices.length === MOST_NOTICES) return;
    const known = shown?.map((one) => codeOf(one, networks));
    const isShown = known ? known.includes(value) : !form || new RegExp(form, "u").test(value);
    if (isShown) return;
    const expected = `one of those shown (${known ? known.join(", ") : `like /${form}/`})`;
    const actual = describe(value, path);
    const place = `${subject.name} ${path}`;
    notices.push(noticeOf(closest ?? subject.fallback, place, { path, expected, actual }));
  });
  return notices;
}

function codeOf(shown: string, networks: Networks): string {
  const network = PLACEHOLDERS.get(shown);
  return network ? networks[network] : shown;
}
