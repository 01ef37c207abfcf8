import { type RequirementId, requirementIds, requirements } from "../../generated/requirements.ts";
import { type FailureSignature, isState } from "./failure-signature.ts";
import { type Group, groupOf } from "./report.ts";

/** Requirements of the form of a value. A malformed value breaks every other rule about it. */
const FORMS: readonly RequirementId[] = [
  ...(["CONV-01", "CONV-02", "CONV-03", "CONV-04", "MSG-05", "MSG-07"] as const),
];

/** The least number of requirements that show that the events of every change are missing. */
const ALL_CHANGES = 4;

/** Ranks of the general groups: a requirement of a specific group names a cause better. */
const GENERAL: Partial<Record<Group, number>> = {
  ...{ AUTH: 1, EP: 2, PAGE: 3, ERR: 4, WHK: 4, CONV: 5 },
};

const OF_REFUSALS: Partial<Record<Group, number>> = {
  ...{ EP: -2, AUTH: -1, PAGE: 1, WHK: 2, ERR: 2, CONV: 3 },
};

/**
 * Sorts the requirements that findings of one cause break: first the one whose sentence describes
 * the cause best.
 */
export function rankedRequirements(symptoms: readonly FailureSignature[]): RequirementId[] {
  const counts = new Map<RequirementId, number>();
  for (const { finding } of symptoms) {
    counts.set(finding.requirement, (counts.get(finding.requirement) ?? 0) + 1);
  }
  const ids = [...counts.keys()];
  const ranks = new Map(ids.map((id) => [id, ranksOf(id, symptoms, ids)]));
  const count = (id: RequirementId) => counts.get(id) ?? 0;
  return ids.sort(
    (a, b) =>
      compared(ranks.get(a) ?? [], ranks.get(b) ?? []) ||
      count(b) - count(a) ||
      requirementIds.indexOf(a) - requirementIds.indexOf(b),
  );
}

/** Ranks by several criteria, the most important first; lower is better. */
function ranksOf(
  id: RequirementId,
  symptoms: readonly FailureSignature[],
  others: readonly RequirementId[],
): number[] {
  const group = groupOf(id);
  const derived = requirements[id].derived ? 1 : 0;
  const [{ refusal, status, subject } = {}] = symptoms;
  if (refusal !== undefined) {
    const isAboutToken = (status === 401 || status === 403) && group === "AUTH";
    const isAboutQuery = status === 400 && !subject?.includes("{") && group === "PAGE";
    return [
      isAboutToken || isAboutQuery ? 0 : 1,
      (OF_REFUSALS[group] ?? 0) + derived * 10,
      // A token that expires early is refused whether or not another one was issued.
      id === "AUTH-09" && others.includes("AUTH-10") ? 1 : 0,
      // MSG-03 says which messages must not be refused: superseded ones.
      id === "MSG-09" && others.includes("MSG-03") ? 1 : 0,
      // AUTH-07 is about requests without the header.
      id === "AUTH-07" && symptoms.every(({ hasAuthorization }) => hasAuthorization) ? 1 : 0,
    ];
  }
  if (id === "ERR-01" && isWrongStatus(symptoms, others)) return [-1];
  const own = symptoms.filter(({ finding }) => finding.requirement === id);
  // An empty string, or null in place of a form, is a missing value, which other rules are about.
  const empty = FORMS.includes(id) ? ['string ""', "null"] : ['string ""'];
  const isEmpty = own.some(({ finding: { actual = "" } }) => empty.includes(actual));
  const isMalformed = own.some(({ kind }) => kind === "different");
  const formRank = isEmpty ? 2 : isMalformed ? 0 : 1;
  const isMissing = symptoms.some(({ kind }) => kind === "missing");
  const isMissingEvent = symptoms.some(({ missingEvent }) => missingEvent !== undefined);
  const isNamed = own.some((one) => names(id, one));
  const isRare = own.length * 5 < symptoms.length;
  const isOperation =
    !others.some((one) => groupOf(one) === "PAGE") && isOnlyOperation(id, symptoms);
  return [
    // MSG-09 is about the contents of an event; other sentences say that it is sent.
    isMissingEvent && id === "MSG-09" ? 1 : 0,
    // SUB-09 is about the event of every change, the other requirements about those of one step.
    isMissingEvent && others.length >= ALL_CHANGES && id === "SUB-09" ? 0 : 1,
    // SUB-05 lists the allowed moves; SUB-06 is about one of them. SUB-07 is about a link, which a
    // few findings of a wrong state follow by chance.
    others.includes("SUB-05") && (id === "SUB-06" || (id === "SUB-07" && isRare)) ? 1 : 0,
    isOperation && (isNamed || isMissing || own.every(({ path }) => path === "")) ? 0 : 1,
    own.every(({ isMisdirected }) => isMisdirected) ? 1 : 0,
    FORMS.includes(id) || own.some(isOutsideSet) ? formRank : 1,
    // A missing field breaks the table of fields; other sentences say what it contains.
    isMissing && !isAboutOneBody(id) ? 1 : 0,
    isNamed ? 0 : 1,
    !isMissing && own.some(isState) && requirements[id].how.includes("driven") ? 0 : 1,
    covers(own, symptoms) ? 0 : 1,
    (GENERAL[group] ?? 0) + derived * 10,
  ];
}

/** Whether a value is outside the set of values that its field may have. */
function isOutsideSet({ finding: { expected = "" } }: FailureSignature): boolean {
  return expected.startsWith("one of ");
}

function isAboutOneBody(id: RequirementId): boolean {
  return requirements[id].how.some((how) => how === "schema" || how === "rule");
}

/** Whether findings are about every operation and event of a cause. */
function covers(own: readonly FailureSignature[], all: readonly FailureSignature[]): boolean {
  // What shows that an event is missing does not matter.
  const subjectOf = ({ subject, missingEvent = subject }: FailureSignature) => missingEvent;
  const subjects = new Set(own.map(subjectOf));
  return all.every((one) => subjects.has(subjectOf(one)));
}

/** Whether all findings are about one operation and the requirement's sentence names it. */
function isOnlyOperation(id: RequirementId, symptoms: readonly FailureSignature[]): boolean {
  const [{ subject = "" } = {}] = symptoms;
  if (!subject.includes("/")) return false;
  const { text } = requirements[id];
  return (
    symptoms.every((one) => one.subject === subject) &&
    ([" ", ","].some((end) => text.startsWith(`${subject}${end}`)) ||
      (symptoms.every(({ path }) => path === "") && text.includes(subject)) ||
      (id === "MSG-09" && subject === "GET /transaction-messages/{id}"))
  );
}

/** Whether authentication is required, but its failure gets another status than 401. */
function isWrongStatus(
  symptoms: readonly FailureSignature[],
  ids: readonly RequirementId[],
): boolean {
  const isRejected = symptoms.every(({ finding }) => /^4\d\d\b/.test(finding.actual ?? ""));
  const counts = ids
    .filter((id) => groupOf(id) === "AUTH")
    .map((id) => symptoms.filter(({ finding }) => finding.requirement === id).length);
  // If the requirement of one mistake has nearly all findings, the others get 401.
  const isGeneral = counts.length > 1 && Math.max(...counts) <= 5 * Math.min(...counts);
  return isRejected && isGeneral;
}

const STRUCTURE = ["[]", "href", "_links", "_embedded"];

/** Whether the requirement's sentence names the member that a finding is about. */
function names(id: RequirementId, { path, family }: FailureSignature): boolean {
  // PAGE-10 and the requirements of some lists name the place of the items.
  if (/^\/_embedded\/[^/]+$/.test(path)) return requirements[id].text.includes("_embedded.");
  const member = path
    .split("/")
    .filter((segment) => !STRUCTURE.includes(segment))
    .at(-1);
  const words = wordsIn(member ?? "");
  const wanted = words.length > 1 ? words.filter((word) => word !== "id") : words;
  // The settled amount of a transaction is transactionSettledAmount.
  if (wanted.length > 2 && wanted[0] === family) wanted.shift();
  const there = new Set(wordsIn(requirements[id].text));
  return wanted.length > 0 && wanted.every((word) => there.has(word));
}

/** The words of a text and of its names in camel case, in lower case and the singular. */
function wordsIn(text: string): string[] {
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/s$/, ""));
}

function compared(a: readonly number[], b: readonly number[]): number {
  for (const [at, rank] of a.entries()) {
    const difference = rank - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
