import { eventNames } from "../../generated/events.ts";
import { operations } from "../../generated/operations.ts";
import { type RequirementId, requirementIds, requirements } from "../../generated/requirements.ts";
import { memberOf, segmentsOf, valueAt } from "../../src/contract/pointer.ts";
import { counted } from "../../src/text.ts";
import {
  type Delivery,
  type Exchange,
  isDelivery,
  parseJson,
  receivedText,
} from "../wire/exchange.ts";
import {
  type Cause,
  type EvidencedFinding,
  type Group,
  groupOf,
  type RequirementReport,
} from "./report.ts";

/** The exchanges and deliveries that findings reference, by `nr`. */
type Traffic = ReadonlyMap<number, Exchange | Delivery>;

/** A finding with its place and kind, by which findings of one cause are grouped. */
interface FailureSignature {
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

function failureSignatureOf(finding: EvidencedFinding, traffic: Traffic): FailureSignature {
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
  // An unclosed quote extends to the end of the text, which keeps this linear.
  const unquoted = text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '""');
  return unquoted
    .replace(/(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "ID")
    .replace(/\/\S*/g, "/")
    .replace(/\b(?![1-5]\d\d\b)\d[\d.,:TZ-]*/g, "N");
}

/** Longest path first: the pattern of a short path may match the end of a longer one. */
const PATTERNS = Object.entries(operations)
  .toSorted(([, a], [, b]) => b.path.length - a.path.length)
  .map(([key, { method, path }]) => {
    const pattern = new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
    return { key: key.replace(/\/auth\/realms\/.*/, "…/token"), method, pattern };
  });

/** The operation or event of an exchange or delivery; for an unknown operation, method and path. */
function subjectOf(traffic: Exchange | Delivery): string {
  if (isDelivery(traffic)) return traffic.name || "a delivery without a name";
  const { method, url } = traffic.request;
  const { pathname } = new URL(url);
  const known = PATTERNS.find((one) => one.method === method && one.pattern.test(pathname));
  return known?.key ?? `${method} ${pathname}`;
}

type Signatures = readonly FailureSignature[];

/** A refusal that this many resources have is one cause; a body that lacks as many members, too. */
const SEVERAL = 3;

/**
 * Groups findings by likely cause, the worst first. Findings of one kind have one cause if they are
 * at one place, or about one member of a resource and one requirement, or about one event that was
 * not sent. A refusal is one cause for each resource, or for all if several have it.
 *
 * @param traffic The exchanges and deliveries that findings reference by `nr`.
 */
export function causesOf(
  reports: readonly RequirementReport[],
  traffic: readonly (Exchange | Delivery)[],
): readonly Cause[] {
  const byNr = new Map(traffic.map((one) => [one.nr, one]));
  const findings = reports.flatMap(({ checks }) => checks.flatMap((check) => check.findings ?? []));
  const signatures = findings.map((finding) => failureSignatureOf(finding, byNr));
  const clusters = clustered(signatures, keysFor(signatures));
  return inOrder(clusters.map((cluster) => causeOf(cluster, byNr)));
}

/** Returns a function that names what findings of one cause share. */
function keysFor(all: Signatures): (one: FailureSignature) => string[] {
  const resources = Map.groupBy(all, ({ refusal }) => refusal);
  const lacking = Map.groupBy(
    all.filter(({ kind }) => kind === "missing"),
    ({ subject }) => subject,
  );
  const distinct = (many: Signatures = [], of: (one: FailureSignature) => string) =>
    new Set(many.map(of)).size;
  return (one) => {
    const { refusal, subject, path, member, kind, missingEvent, finding } = one;
    const { requirement } = finding;
    if (refusal !== undefined) {
      const isEverywhere = distinct(resources.get(refusal), resourceOf) >= SEVERAL;
      return [`${refusal} ${isEverywhere ? "" : resourceOf(one)}`];
    }
    const isAbridged =
      kind === "missing" &&
      distinct(lacking.get(subject), (each) => each.member.split("/")[1] ?? "") >= SEVERAL;
    return [
      `at ${subject} ${path} ${kind}`,
      `of ${requirement} ${member} ${kind}`,
      ...(isAbridged ? [`abridged ${subject}`] : []),
      // One function writes all timestamps, and another all HAL bodies of a resource.
      ...(requirement === "CONV-02" ? [`timestamps ${kind}`] : []),
      ...(requirement === "CONV-06" ? [`HAL ${subject}`] : []),
      // One sum gives both settled amounts.
      ...(requirement === "TXN-09" ? [`settled amounts ${kind}`] : []),
      ...(missingEvent === undefined ? [] : [`not sent ${requirement} ${missingEvent}`]),
    ];
  };
}

/** The first part of the path: `/cards` of `GET /cards/{id}`. */
function resourceOf({ subject }: FailureSignature): string {
  return /^\w+ (\/[^/]*)/.exec(subject)?.[1] ?? subject;
}

/** Groups items that share a key, directly or through other items. */
function clustered<T>(items: readonly T[], keysOf: (item: T) => string[]): T[][] {
  const merged = new Map<string, string>();
  const rootOf = (key: string) => {
    let at = key;
    for (let up = merged.get(at); up !== undefined; up = merged.get(at)) at = up;
    return at;
  };
  const keyed = items.map((item) => {
    const [first = "", ...others] = keysOf(item);
    for (const other of others) {
      const [from, to] = [rootOf(other), rootOf(first)];
      if (from !== to) merged.set(from, to);
    }
    return { item, key: first };
  });
  return [...Map.groupBy(keyed, ({ key }) => rootOf(key)).values()].map((members) =>
    members.map(({ item }) => item),
  );
}

function causeOf(signatures: Signatures, traffic: Traffic): Cause {
  const ids = rankedRequirements(signatures);
  const own = signatures.filter(({ finding }) => finding.requirement === ids[0]);
  const lead = shortest(own, traffic) as FailureSignature;
  const places = [lead, ...signatures].map(({ subject, path }) => `${subject} ${path}`.trim());
  const { expected, actual, evidence, message, claim } = lead.finding;
  const details = [
    ...detailsOf(lead.finding, traffic.get(evidence[0] ?? -1)),
    ...(lead.comparedWith && lead.path !== "" ? [`compared with ${lead.comparedWith}`] : []),
  ];
  return {
    message: lead.refusal === undefined ? message : `${lead.subject} ${lead.refusal}`,
    level: signatures.some(({ finding }) => finding.level === "error") ? "error" : "warning",
    requirements: ids,
    findings: signatures.length,
    places: [...new Set(places)],
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(claim !== undefined && { claim }),
    ...(details.length > 0 && { details }),
    evidence,
  };
}

/** The finding with the shortest bodies, of which a reader sees the failure soonest. */
function shortest(signatures: Signatures, traffic: Traffic) {
  const sized = signatures.map((one) => {
    const lengths = one.finding.evidence.map((nr) => receivedText(traffic.get(nr)).length);
    return { one, size: lengths.reduce((sum, length) => sum + length, 0) };
  });
  return sized.toSorted((a, b) => a.size - b.size)[0]?.one;
}

/**
 * Sorts causes by impact, each with the cause that explains it. A requirement's failures are
 * probably a consequence if one that it needs fails. Of two that need each other, the one with more
 * findings is the cause.
 */
function inOrder(causes: readonly Cause[]): Cause[] {
  const explains = (cause: Cause, other: Cause) =>
    isNeeded(leadOf(cause), leadOf(other)) &&
    leadOf(cause) !== leadOf(other) &&
    (!isNeeded(leadOf(other), leadOf(cause)) || cause.findings > other.findings);
  const sources = new Map<Cause, Cause>();
  const rootOf = (cause: Cause): Cause => {
    const source = sources.get(cause);
    return source ? rootOf(source) : cause;
  };
  for (const cause of causes) {
    const source = causes.find((other) => explains(other, cause) && rootOf(other) !== cause);
    if (source) sources.set(cause, source);
  }
  const severe = causes.filter(({ level }) => level === "error").map(rootOf);
  return causes
    .map((cause): Cause => {
      const source = sources.get(cause);
      const level = cause.level === "error" || severe.includes(cause) ? "error" : "warning";
      return { ...cause, level, ...(source && { consequenceOf: leadOf(source) }) };
    })
    .sort(byWeight);
}

const leadOf = ({ requirements: [lead] }: Cause) => lead as RequirementId;

/** Whether a requirement needs another one, or its group. */
function isNeeded(other: RequirementId, by: RequirementId): boolean {
  const { needs } = requirements[by];
  return needs.includes(other) || needs.includes(groupOf(other));
}

/** Sorts root causes before consequences, and errors before warnings, then by impact. */
function byWeight(a: Cause, b: Cause): number {
  return (
    Number(a.consequenceOf !== undefined) - Number(b.consequenceOf !== undefined) ||
    Number(a.level === "warning") - Number(b.level === "warning") ||
    b.requirements.length - a.requirements.length ||
    b.findings - a.findings ||
    requirementIds.indexOf(leadOf(a)) - requirementIds.indexOf(leadOf(b)) ||
    a.message.localeCompare(b.message, "en")
  );
}

/** Requirements of the form of a value. A malformed value breaks every other rule about it. */
const FORMS = ["CONV-01", "CONV-02", "CONV-03", "CONV-04", "MSG-05", "MSG-07"];

type Ranks = Partial<Record<Group, number>>;

/** Ranks of the general groups: a requirement of a specific group names a cause better. */
const GENERAL: Ranks = { AUTH: 1, EP: 2, PAGE: 3, ERR: 4, WHK: 4, CONV: 5 };
const OF_REFUSALS: Ranks = { EP: -2, AUTH: -1, PAGE: 1, WHK: 2, ERR: 2, CONV: 3 };

/** Sorts the requirements of one cause: first the one whose sentence describes it best. */
function rankedRequirements(signatures: Signatures): RequirementId[] {
  const byId = Map.groupBy(signatures, ({ finding }) => finding.requirement);
  const ranked = [...byId].map(([id, own]) => ({ id, ranks: ranksOf(id, own, signatures) }));
  return ranked.sort((a, b) => compared(a.ranks, b.ranks)).map(({ id }) => id);
}

function compared(a: readonly number[], b: readonly number[]): number {
  return a.map((rank, at) => rank - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Ranks by several criteria, the most important first; lower is better. */
function ranksOf(id: RequirementId, own: Signatures, all: Signatures): number[] {
  const group = groupOf(id);
  const derived = requirements[id].derived ? 10 : 0;
  const order = [-own.length, requirementIds.indexOf(id)];
  if (all.some(({ refusal }) => refusal !== undefined)) {
    const isAboutToken = all.some(({ refusal = "" }) => /40[13]/.test(refusal)) && group === "AUTH";
    const isAboutQuery =
      group === "PAGE" &&
      all.some(({ refusal = "", subject }) => refusal.endsWith("400") && !subject.includes("{"));
    return [isAboutToken || isAboutQuery ? 0 : 1, (OF_REFUSALS[group] ?? 0) + derived, ...order];
  }
  const isMissing = all.some(({ kind }) => kind === "missing");
  const isUnsent = all.some(({ missingEvent }) => missingEvent !== undefined);
  // An empty string, or null in place of a form, is a missing value, which other rules are about.
  const isEmpty = own.some(({ finding }) => ['string ""', "null"].includes(finding.actual ?? ""));
  const isForm = FORMS.includes(id) && !isMissing ? (isEmpty ? 2 : 0) : 1;
  const isNamed = own.some((one) => names(id, one));
  return [
    isForm,
    // A sentence about responses does not say that an event is sent.
    isUnsent && requirements[id].how.includes("http") ? 1 : 0,
    isUnsent && followsOther(id, all) ? 1 : 0,
    isNamed ? 0 : 1,
    covers(own, all) ? 0 : 1,
    (GENERAL[group] ?? 0) + derived,
    ...order,
  ];
}

/** Whether a requirement needs another one of the cause, which does not need it. */
function followsOther(id: RequirementId, all: Signatures): boolean {
  const others = all.map(({ finding }) => finding.requirement);
  return others.some((other) => isNeeded(other, id) && !isNeeded(id, other));
}

/** Whether findings are about every operation and event of a cause. */
function covers(own: Signatures, all: Signatures): boolean {
  // What shows that an event is missing does not matter.
  const subjectOf = ({ subject, missingEvent = subject }: FailureSignature) => missingEvent;
  const subjects = new Set(own.map(subjectOf));
  return all.every((one) => subjects.has(subjectOf(one)));
}

const STRUCTURE = ["[]", "href", "_links", "_embedded"];

/** Whether the requirement's sentence names the member that a finding is about. */
function names(id: RequirementId, { path }: FailureSignature): boolean {
  const members = path.split("/").filter((segment) => !STRUCTURE.includes(segment));
  const words = wordsIn(members.at(-1) ?? "");
  // The settled amount of a transaction is transactionSettledAmount.
  const wanted = words.length > 1 ? words.filter((word) => word !== "id").slice(-2) : words;
  const there = new Set(wordsIn(requirements[id].text));
  return wanted.length > 0 && wanted.every((word) => there.has(word));
}

/** The words of a text and of its names in camel case, in lower case and the singular. */
function wordsIn(text: string): string[] {
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/s$/, ""));
}

const MAX_ADDENDS = 8;

/** The settled amounts of a transaction, and the amounts of its messages that they sum up. */
const SUMS: Readonly<Record<string, string>> = {
  transactionSettledAmount: "transactionAmount",
  cardholderBillingSettledAmount: "cardholderBillingAmount",
};

/** What a finding is about, in lines: the id of its resource, and the addends of a sum. */
function detailsOf({ path }: EvidencedFinding, evidence?: Exchange | Delivery): string[] {
  if (!path.startsWith("/") || !evidence) return [];
  const body = parseJson(receivedText(evidence));
  const segments = segmentsOf(path);
  const owners = segments.map((_, at) => valueAt(body, segments.slice(0, -1 - at)));
  const id = owners.map((owner) => memberOf(owner, "id")).find((one) => typeof one === "string");
  return [
    ...(typeof id === "string" ? [`id ${id}`] : []),
    ...addendsOf(owners[0], SUMS[segments.at(-1) ?? ""]),
  ];
}

function addendsOf(transaction: unknown, amount: string | undefined): string[] {
  const messages = memberOf(memberOf(transaction, "_embedded"), "messages");
  if (amount === undefined || !Array.isArray(messages)) return [];
  const lines = messages.slice(0, MAX_ADDENDS).map((message: unknown) => {
    const [value, id, type] = [amount, "id", "messageType"].map((name) => memberOf(message, name));
    const mark = memberOf(message, "superseded") === true ? ", superseded" : "";
    return `  ${String(value)}  ${String(type)} ${String(id)}${mark}`;
  });
  const more = messages.length - lines.length;
  return [
    `${amount} of its messages:`,
    ...lines,
    ...(more > 0 ? [`  and ${counted(more, "more message")}`] : []),
  ];
}
