import { type OperationKey, operations } from "../../generated/operations.ts";
import { type Delivery, isDelivery } from "../wire/delivery.ts";
import type { Exchange } from "../wire/exchange.ts";
import type { EvidencedFinding } from "./report.ts";

/** A finding with the properties by which findings of one cause are grouped. */
export interface FailureSignature {
  readonly finding: EvidencedFinding;
  /** The operation or event. */
  readonly subject: string;
  /** The place in the body, without array indexes: `/_embedded/cards/[]/last4`. */
  readonly path: string;
  /** The place within the resource, without its embedding: `/last4`. */
  readonly member: string;
  /**
   * The failure category: an unexpected status, the same expectation, or a missing, extra or
   * different member of a body.
   */
  readonly kind: string;
  /** The outcome in a few words; omitted unless the target refused or did not respond. */
  readonly refusal?: string;
}

/** @param traffic The exchanges and deliveries that findings reference by `nr`. */
export function failureSignatureOf(
  finding: EvidencedFinding,
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): FailureSignature {
  const seen = finding.evidence.flatMap((nr) => traffic.get(nr) ?? []);
  const refused = seen.find((one) => !isDelivery(one) && isRefused(one, finding));
  if (refused) {
    const refusal = refusalOf(refused as Exchange);
    return { finding, subject: subjectOf(refused), path: "", member: "", kind: refusal, refusal };
  }
  const [first] = seen;
  const subject = first ? subjectOf(first) : "";
  const path = finding.path.replace(/\/\d+(?=\/|$)/g, "/[]");
  const member = path.replace(/^.*\/_embedded\/[^/]+\/\[\](?=\/)/, "");
  return { finding, subject, path, member, kind: kindOf(finding) };
}

/** Whether a target refused, or did not respond to, a request that must succeed. */
function isRefused({ response }: Exchange, { expected = "", actual = "" }: EvidencedFinding) {
  if (!response) return true;
  const { status } = response;
  if (status < 400 || !actual.includes(String(status))) return false;
  return status >= 500 || !/\b4(\d\d|xx)\b/.test(expected);
}

function refusalOf({ response }: Exchange): string {
  return response ? `returned ${response.status}` : "sent no response";
}

function kindOf({ path, expected = "", actual = "" }: EvidencedFinding): string {
  if (path === "") return `${withoutValues(expected)}, ${withoutValues(actual)}`;
  if (actual.startsWith("nothing")) return "missing";
  return expected.startsWith("nothing") || expected.startsWith("no ") ? "extra" : "different";
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

const KEYS = Object.keys(operations) as OperationKey[];

/** Longest path first: the pattern of a short path may match the end of a longer one. */
const PATTERNS = KEYS.map((key) => {
  const { method, path } = operations[key];
  return { key, method, path: new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`), of: path };
}).sort((a, b) => b.of.length - a.of.length);

/** The operation or event of an exchange or delivery; for an unknown operation, method and path. */
export function subjectOf(traffic: Exchange | Delivery): string {
  if (isDelivery(traffic)) return traffic.name || "a delivery without a name";
  const { method, url } = traffic.request;
  const { pathname } = new URL(url);
  const known = PATTERNS.find((one) => one.method === method && one.path.test(pathname));
  if (!known) return `${method} ${pathname}`;
  return known.key.replace(/\/auth\/realms\/.*/, "…/token");
}
