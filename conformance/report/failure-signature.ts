import { eventNames } from "../../generated/events.ts";
import { type OperationKey, operations } from "../../generated/operations.ts";
import { memberOf, segmentsOf, valueAt } from "../../src/contract/pointer.ts";
import { counted } from "../../src/text.ts";
import { type Delivery, type Exchange, isDelivery, parseJson } from "../wire/exchange.ts";
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
  /** The status of the response, or of the refused request; undefined for a delivery. */
  readonly status?: number | undefined;
  /** Whether the request has an Authorization header. */
  readonly hasAuthorization: boolean;
  /** The kind of resource of the subject: `transactionmatch` of `transaction.match.created`. */
  readonly family: string;
  /** The event that was not delivered; omitted if the finding is not about a missing event. */
  readonly missingEvent?: string;
  /** The other operation or event that the finding compares the subject with. */
  readonly comparedWith?: string;
  /** Whether the other side of the comparison is the wrong one. */
  readonly isMisdirected?: boolean;
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
    const subject = subjectOf(refused);
    const status = statusOf(refused);
    const hasAuthorization = isAuthorized(refused);
    const base = { finding, subject, family: familyOf(subject), status, hasAuthorization };
    return { ...base, path: "", member: "", kind: refusal, refusal };
  }
  const [first, second] = seen;
  const subject = first ? subjectOf(first) : "";
  const other = second ? subjectOf(second) : subject;
  const missingEvent = missingEventIn(finding);
  // A wrong item of a list of values is a wrong list.
  const path = finding.path.replace(/\/\d+(?=\/|$)/g, "/[]").replace(ITEMS, "");
  const member = path
    .replace(/^.*\/_embedded\/[^/]+\/\[\](?=\/)/, "")
    // The items of a collection: its name is the collection's.
    .replace(/^\/_embedded\/[^/]+$/, "/_embedded/*");
  return {
    ...{ finding, subject, path, member, kind: kindOf(finding), family: familyOf(subject) },
    status: first && statusOf(first),
    hasAuthorization: first !== undefined && isAuthorized(first),
    ...(missingEvent !== undefined && { missingEvent }),
    ...(other !== subject && { comparedWith: other }),
  };
}

/** Whether a finding is about the state or type of a resource, which a step reaches. */
export function isState({ member }: FailureSignature): boolean {
  return ["/state", "/newState", "/status", "/enrollmentType"].includes(member);
}

/**
 * Marks the comparisons whose other side is the wrong one: the other operation or event takes part
 * in every finding of the subject, and in findings without it.
 */
export function withMisdirected(symptoms: readonly FailureSignature[]): FailureSignature[] {
  const bySide = new Map<string, Set<FailureSignature>>();
  for (const symptom of symptoms) {
    for (const side of sidesOf(symptom)) {
      bySide.set(side, (bySide.get(side) ?? new Set()).add(symptom));
    }
  }
  return symptoms.map((symptom) => {
    const own = [...(bySide.get(symptom.subject) ?? [])];
    const others = bySide.get(symptom.comparedWith ?? "");
    if (!others || others.size <= own.length || !own.every((one) => others.has(one))) {
      return symptom;
    }
    return { ...symptom, isMisdirected: true };
  });
}

function sidesOf({ subject, comparedWith = subject, missingEvent }: FailureSignature): string[] {
  return missingEvent === undefined ? [subject, comparedWith] : [missingEvent];
}

/** The end of a path to an item of a list. */
const ITEMS = /(?<!\/\[\])(?:\/\[\])+$/;

function statusOf(traffic: Exchange | Delivery): number | undefined {
  return isDelivery(traffic) ? undefined : traffic.response?.status;
}

function isAuthorized(traffic: Exchange | Delivery): boolean {
  return Object.keys(traffic.request.headers).some((name) => /^authorization$/i.test(name));
}

/** The kind of resource of an operation or an event, in lower case and the singular. */
function familyOf(subject: string): string {
  const [, resource] = /^\w+ \/([^/]*)/.exec(subject) ?? [];
  if (resource === undefined) return subject.split(".").slice(0, -1).join("");
  return resource.replaceAll("-", "").replace(/(?<=tch)es$|s$/, "");
}

/** The first event that a text names. */
function eventIn(text: string): string | undefined {
  return EVENT.exec(text)?.[0];
}

// The longest name first: no event name may match inside another.
const EVENT = new RegExp(
  eventNames
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(".", "\\."))
    .join("|"),
);

function missingEventIn({ expected = "", actual = "" }: EvidencedFinding): string | undefined {
  return actual === "it was not delivered" ? eventIn(expected) : undefined;
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
  if (actual.startsWith("nothing") && !/\/\d+$/.test(path)) return "missing";
  return "different";
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
function subjectOf(traffic: Exchange | Delivery): string {
  if (isDelivery(traffic)) return traffic.name || "a delivery without a name";
  const { method, url } = traffic.request;
  const { pathname } = new URL(url);
  const known = PATTERNS.find((one) => one.method === method && one.path.test(pathname));
  if (!known) return `${method} ${pathname}`;
  return known.key.replace(/\/auth\/realms\/.*/, "…/token");
}

const MAX_ADDENDS = 8;

/** The settled amounts of a transaction, and the amounts of its messages that they sum up. */
const SUMS: Readonly<Record<string, string>> = {
  transactionSettledAmount: "transactionAmount",
  cardholderBillingSettledAmount: "cardholderBillingAmount",
};

/** What a finding is about, in lines: the id of its resource, and the addends of a sum. */
export function detailsOf(
  { path }: EvidencedFinding,
  evidence: Exchange | Delivery | undefined,
): string[] {
  if (!path.startsWith("/") || !evidence) return [];
  const body = parseJson(bodyOf(evidence));
  const segments = segmentsOf(path);
  const owners = segments.map((_, at) =>
    valueAt(body, segments.slice(0, segments.length - 1 - at)),
  );
  const ids = owners.map((owner) => memberOf(owner, "id"));
  const id = ids.find((one) => typeof one === "string");
  return [
    ...(typeof id === "string" ? [`id ${id}`] : []),
    ...addendsOf(owners[0], segments.at(-1) ?? ""),
  ];
}

function addendsOf(transaction: unknown, sum: string): string[] {
  const amount = Object.hasOwn(SUMS, sum) ? SUMS[sum] : undefined;
  const messages = memberOf(memberOf(transaction, "_embedded"), "messages");
  if (amount === undefined || !Array.isArray(messages)) return [];
  const lines = messages.slice(0, MAX_ADDENDS).map((message: unknown) => {
    const [value, id, type, superseded] = [amount, "id", "messageType", "superseded"].map((name) =>
      memberOf(message, name),
    );
    const mark = superseded === true ? ", superseded" : "";
    return `${String(value)}  ${String(type)} ${String(id)}${mark}`;
  });
  const more = messages.length - lines.length;
  return [
    `${amount} of its messages:`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${counted(more, "more message")}`] : []),
  ];
}

function bodyOf(evidence: Exchange | Delivery): string {
  return isDelivery(evidence) ? evidence.request.body : (evidence.response?.body ?? "");
}

/** The size of the bodies that show a finding, in characters. */
export function sizeOf(
  { evidence }: EvidencedFinding,
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): number {
  const bodies = evidence.flatMap((nr) => traffic.get(nr) ?? []).map(bodyOf);
  return bodies.reduce((sum, { length }) => sum + length, 0);
}
