import { eventNames } from "../../generated/events.ts";
import { type OperationKey, operations } from "../../generated/operations.ts";
import { type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";
import type { EvidencedFinding } from "./report.ts";

/** A finding with its place and kind, by which findings of one cause are grouped. */
export interface FailureSignature {
  readonly finding: EvidencedFinding;
  /** The operation or event. */
  readonly subject: string;
  /** The place in the body, without array indexes: `/_embedded/cards/[]/last4`. */
  readonly path: string;
  /** The place within the resource, without its embedding: `/last4`. */
  readonly member: string;
  /** An unexpected outcome in a few words, or a missing or different member of a body. */
  readonly kind: string;
  /** The outcome in a few words; omitted unless the target refused or did not respond. */
  readonly refusal?: string;
  /** The event that was not delivered; omitted if the finding is not about a missing event. */
  readonly missingEvent?: string;
  /** The other operation or event that the finding compares the subject with. */
  readonly comparedWith?: string;
}

/** @param traffic The exchanges and deliveries that findings reference by `nr`. */
export function failureSignatureOf(
  finding: EvidencedFinding,
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): FailureSignature {
  const seen = finding.evidence.flatMap((nr) => traffic.get(nr) ?? []);
  const refused = seen.find((one) => !isDelivery(one) && isRefused(one, finding));
  if (refused && !isDelivery(refused)) {
    const { response } = refused;
    const refusal = response ? `returned ${response.status}` : "sent no response";
    return { finding, subject: subjectOf(refused), path: "", member: "", kind: refusal, refusal };
  }
  const [first, second] = seen;
  const subject = first ? subjectOf(first) : "";
  const other = second ? subjectOf(second) : subject;
  const { expected = "", actual = "" } = finding;
  const missingEvent = actual === "it was not delivered" ? EVENT.exec(expected)?.[0] : undefined;
  // A wrong item of a list of values is a wrong list.
  const path = finding.path.replace(/\/\d+(?=\/|$)/g, "/[]").replace(/(?<!\/\[\])(?:\/\[\])+$/, "");
  const member = path
    .replace(/^.*\/_embedded\/[^/]+\/\[\](?=\/)/, "")
    // The items of a collection: its name is the collection's.
    .replace(/^\/_embedded\/[^/]+$/, "/_embedded/*");
  return {
    ...{ finding, subject, path, member, kind: kindOf(finding) },
    ...(missingEvent !== undefined && { missingEvent }),
    ...(other !== subject && { comparedWith: other }),
  };
}

// The longest name first: no event name may match inside another.
const EVENT = new RegExp(
  eventNames
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(".", "\\."))
    .join("|"),
);

/** Whether a target refused, or did not respond to, a request that must succeed. */
function isRefused({ response }: Exchange, { expected = "", actual = "" }: EvidencedFinding) {
  if (!response) return true;
  const { status } = response;
  if (status < 400 || !actual.includes(String(status))) return false;
  return status >= 500 || !/\b4(\d\d|xx)\b/.test(expected);
}

function kindOf({ path, expected = "", actual = "" }: EvidencedFinding): string {
  if (path === "") return `${withoutValues(expected)}, ${withoutValues(actual)}`;
  return actual.startsWith("nothing") && !/\/\d+$/.test(path) ? "missing" : "different";
}

/** Removes values that differ between findings from a text: ids, names, times, counts. */
function withoutValues(text: string): string {
  return (
    text
      // An unclosed quote extends to the end of the text, which keeps this linear.
      .replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '""')
      .replace(/(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "ID")
      .replace(/\/\S*/g, "/")
      .replace(/\b(?![1-5]\d\d\b)\d[\d.,:TZ-]*/g, "N")
  );
}

/** Longest path first: the pattern of a short path may match the end of a longer one. */
const PATTERNS = (Object.keys(operations) as OperationKey[])
  .map((key) => {
    const { method, path } = operations[key];
    return { key, method, path, pattern: new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`) };
  })
  .sort((a, b) => b.path.length - a.path.length);

/** The operation or event of an exchange or delivery; for an unknown operation, method and path. */
function subjectOf(traffic: Exchange | Delivery): string {
  if (isDelivery(traffic)) return traffic.name || "a delivery without a name";
  const { method, url } = traffic.request;
  const { pathname } = new URL(url);
  const known = PATTERNS.find((one) => one.method === method && one.pattern.test(pathname));
  return known ? known.key.replace(/\/auth\/realms\/.*/, "…/token") : `${method} ${pathname}`;
}
