import { claims, type RequirementId, requirements } from "../../generated/requirements.ts";
import { counted, printable, shortened, type TextStyle, wrapped } from "../../src/text.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";
import { isKnown } from "./ending.ts";
import type { Cause, KnownFailure, Report } from "./report.ts";

const WIDTH = 100;
const MAX_CAUSES = 25;
const MAX_PLACES = 4;
const LONGEST_VALUE = 400;
/** Explains the variables in curl lines. */
export const VARIABLES_NOTE =
  "$TXFEED_… are placeholders for secrets: set these variables to run the curl lines";

const INDENT = " ".repeat(4);

/** Renders the failures, one block for each likely cause. */
export function renderCauses(report: Report, style: TextStyle): string[] {
  const open = openCausesOf(report);
  const causes = open.filter(({ consequenceOf }) => consequenceOf === undefined);
  const more = causes.length - MAX_CAUSES;
  const blocks = causes
    .slice(0, MAX_CAUSES)
    .flatMap((cause) => ["", ...block(cause, report, style)]);
  const namesVariables = blocks.some((line) => line.includes("$TXFEED_"));
  return [
    ...(causes.length > 0 ? ["", renderHead(causes, style)] : []),
    ...blocks,
    ...(more > 0 ? ["", `  and ${counted(more, "more cause")} in the report`] : []),
    ...renderConsequences(open, style),
    ...(namesVariables ? ["", style.dim(`${INDENT}${VARIABLES_NOTE}`)] : []),
  ];
}

/** Renders the causes that follow from others, one line each. */
function renderConsequences(causes: readonly Cause[], style: TextStyle): string[] {
  const all = causes.filter(({ consequenceOf }) => consequenceOf !== undefined);
  const byReason = Map.groupBy(all, ({ requirements: [lead], consequenceOf, because }) =>
    JSON.stringify([lead, consequenceOf, because]),
  );
  const groups = [...byReason.values()];
  const more = groups.length - MAX_CAUSES;
  return [
    ...(groups.length > 0 ? ["", `  ${style.bold("probable consequences")}`] : []),
    ...groups.slice(0, MAX_CAUSES).flatMap((members) => {
      const [{ requirements: [lead] = [], consequenceOf, because } = {}] = members;
      const findings = members.reduce((sum, one) => sum + one.findings, 0);
      const text = `${lead}  of ${consequenceOf}: ${because} (${counted(findings, "finding")})`;
      return wrapped(text, WIDTH - INDENT.length).map((line) => `${INDENT}${line}`);
    }),
    ...(more > 0 ? [`${INDENT}and ${counted(more, "more consequence")} in the report`] : []),
  ];
}

function renderHead(causes: readonly Cause[], style: TextStyle): string {
  const ids = new Set(causes.flatMap(({ requirements: broken }) => broken));
  const likely = style.bold(counted(causes.length, "likely cause"));
  return `  ${likely} of failures in ${counted(ids.size, "requirement")}:`;
}

/** The causes that break a requirement without a known failure. */
export function openCausesOf(report: Report): readonly Cause[] {
  return report.causes.filter(({ requirements: ids }) => ids.some((id) => !isKnown(report, id)));
}

function block(cause: Cause, report: Report, style: TextStyle): string[] {
  const { requirements: ids, findings, places, expected, actual, claim, details = [] } = cause;
  const [lead, ...others] = ids as [RequirementId, ...RequirementId[]];
  const paint = isFailure(cause, report) ? style.bad : style.warn;
  const head = `${isFailure(cause, report) ? "✗" : "!"} ${lead}`;
  const [text = "", ...rest] = wrapped(requirements[lead].text, WIDTH - head.length - 4);
  const count = findings === 1 ? "" : `   ${counted(findings, "finding")}`;
  const [first = "", ...further] = places;
  return [
    `  ${paint(head)}  ${style.bold(text)}`,
    ...rest.map((line) => `${" ".repeat(head.length + 4)}${style.bold(line)}`),
    ...(claim === undefined ? [] : listed("claim", `${claim}: ${claims[claim].text}`)),
    `${INDENT}${printable(shortened(headline(cause, first), LONGEST_VALUE))}${style.dim(count)}`,
    ...(further.length === 0 ? [] : alsoAt(further)),
    ...(expected === undefined ? [] : valued("expected", expected)),
    ...(actual === undefined ? [] : valued("got", actual)),
    ...details.map((line, at) => `${INDENT}${(at === 0 ? "in" : "").padEnd(10)}${printable(line)}`),
    ...(others.length === 0 ? [] : listed("breaks", others.join(" "))),
    ...shownLines(cause, report).map((line) => style.dim(`${INDENT}${line}`)),
  ];
}

/** The refusal of a cause, or otherwise its first place. */
function headline({ message }: Cause, place: string): string {
  return message.includes(": expected ") ? place : message;
}

function alsoAt(places: readonly string[]): string[] {
  const traffic = places
    .slice(0, MAX_PLACES)
    .map((place) => shortened(printable(place), WIDTH - 15));
  const more = places.length - traffic.length;
  const all = more > 0 ? [...traffic, `and ${counted(more, "more place")}`] : traffic;
  return all.map((place, at) => `${INDENT}${(at === 0 ? "also at" : "").padEnd(10)}${place}`);
}

function valued(name: string, value: string): string[] {
  return listed(name, printable(shortened(value, LONGEST_VALUE)));
}

function listed(name: string, text: string): string[] {
  const lines = wrapped(text, WIDTH - INDENT.length - 10);
  return lines.map((line, at) => `${INDENT}${(at === 0 ? name : "").padEnd(10)}${line}`);
}

/** Whether a cause fails the run. */
function isFailure(cause: Cause, { requirements: all }: Report): boolean {
  const { requirements: ids, level } = cause;
  return (
    level === "error" || all.some(({ id, verdict }) => verdict === "failed" && ids.includes(id))
  );
}

/** The evidence of a cause: a curl line or a delivery. */
function shownLines({ evidence }: Cause, { traffic }: Report): string[] {
  const [first] = evidence;
  const found = traffic.find(({ nr }) => nr === first);
  return found ? [trafficLine(found)] : [];
}

/** Describes an exchange, as a curl line, or a delivery in one line. */
export function trafficLine(traffic: Exchange | Delivery): string {
  if (!isDelivery(traffic)) return printable(curlOf(traffic.request));
  const time = traffic.receivedAt.slice("2025-03-04T".length, -1);
  return `delivery no. ${traffic.nr} of the evidence, ${printable(traffic.name)}, received ${time}`;
}

/** Renders the suite errors, separate from the target's failures. */
export function renderSuiteErrors({ suiteErrors }: Report, style: TextStyle): string[] {
  if (suiteErrors.length === 0) return [];
  const head = counted(suiteErrors.length, "internal error");
  return [
    "",
    `  ${style.bad(head)} of the suite, not of the target: please report`,
    ...suiteErrors.flatMap(({ requirement, check, message }) => [
      `    ${requirement}  ${check}`,
      ...indentedBy(printable(message), 6),
    ]),
  ];
}

/** Renders the state of the known failures. */
export function renderBaseline({ baseline }: Report, style: TextStyle): string[] {
  if (!baseline) return [];
  const { known, stale, expired, undecided } = baseline;
  return [
    ...knownLines(style.bad("passes now"), "remove it from the baseline", stale, style),
    ...knownLines(style.bad("expired"), "fix it, or set a later day", expired, style),
    ...knownLines("known", "fails, as the baseline expects", known, style),
    ...knownLines("known, not decided in this run", "", undecided, style),
  ];
}

function knownLines(
  what: string,
  advice: string,
  failures: readonly KnownFailure[],
  style: TextStyle,
): string[] {
  if (failures.length === 0) return [];
  return [
    "",
    `  ${style.bold(String(failures.length))} ${what}${advice && `: ${advice}`}`,
    ...failures.flatMap(({ requirement, reason, expires }) => [
      ...indentedBy(`${requirement}  until ${expires}: ${printable(reason)}`, 4),
    ]),
  ];
}

function indentedBy(text: string, by: number): string[] {
  return wrapped(text, WIDTH - by).map((line) => " ".repeat(by) + line);
}
