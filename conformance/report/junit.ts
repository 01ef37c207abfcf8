import { claims, requirements } from "../../generated/requirements.ts";
import { counted, printableLines } from "../../src/text.ts";
import { trafficLine } from "./cause-lines.ts";
import { headlinesOf, isKnown, refusalsIn } from "./ending.ts";
import {
  type CheckReport,
  GROUPS,
  groupOf,
  isLeftOut,
  type Report,
  type RequirementReport,
} from "./report.ts";

const MAX_FINDINGS = 20;

/** A test case and its result. */
interface Case {
  readonly classname: string;
  readonly name: string;
  readonly outcome?: {
    readonly kind: "failure" | "error" | "skipped";
    readonly message: string;
    readonly text?: string;
  };
  /** Additional output. */
  readonly output?: string;
}

/**
 * Renders a report as JUnit XML: a suite for each group, a case for each check. A requirement
 * without checks is a separate case. Warnings are a case's output, because JUnit has no warnings.
 * Known failures are skipped; problems of the baseline are a separate suite.
 */
export function renderJunit(report: Report): string {
  const selected = report.requirements.filter((requirement) => !isLeftOut(requirement));
  const groups = Map.groupBy(selected, ({ id }) => groupOf(id));
  const suites = [...groups].map(([group, members]) => {
    return {
      name: `${group} ${GROUPS[group]}`,
      cases: members.flatMap((one) => casesOf(one, report)),
    };
  });
  // A promise without its effect is an error of its own check.
  const headlines = headlinesOf(report).filter(({ requirements: ids }) => ids.length === 0);
  const doubts = headlines.map(({ text }): Case => {
    const outcome = { kind: "error", message: text } as const;
    return { classname: "conformance.run", name: "the target delivers its events", outcome };
  });
  if (doubts.length > 0) suites.push({ name: "run", cases: doubts });
  const baseline = baselineCases(report);
  if (baseline.length > 0) suites.push({ name: "baseline", cases: baseline });
  const all = suites.flatMap(({ cases }) => cases);
  const time = (report.durationMs / 1000).toFixed(3);
  const properties = {
    target: report.target,
    profile: report.profile,
    assertions: String(report.assertions),
    claims: `${report.claims.decided} of ${report.claims.total} decided`,
    situations: `${report.claims.situations.met} of ${report.claims.situations.total} met`,
    ...(report.brokenOff !== undefined && { brokenOff: report.brokenOff }),
    ...(report.refusals && { refusals: refusalsIn(report).join("; ") }),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "txfeed conformance", ...countsOf(all), time })}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite${attributes({ name, ...countsOf(cases), timestamp: report.startedAt })}>`,
      "    <properties>",
      ...Object.entries(properties).map(
        ([key, value]) => `      <property${attributes({ name: key, value })}/>`,
      ),
      "    </properties>",
      ...cases.flatMap(renderCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function casesOf(requirement: RequirementReport, report: Report): Case[] {
  const { id, verdict, reason = "", hint, checks } = requirement;
  const classname = `conformance.${groupOf(id)}.${id}`;
  if (checks.length === 0) {
    const name = `${id} ${requirements[id].text}`;
    const message = [verdict === "excluded" ? `excluded: ${reason}` : reason, hint]
      .filter(Boolean)
      .join("; ");
    return [{ classname, name, outcome: { kind: "skipped", message } }];
  }
  return [
    ...checks.map((check) => caseOf(check, requirement, report)),
    ...openClaims(requirement, classname),
  ];
}

/** A skipped case for each undecided claim. */
function openClaims({ claims: all = [] }: RequirementReport, classname: string): Case[] {
  return all
    .filter(({ verdict }) => verdict === "undecided")
    .map(({ id, reason, hint }): Case => {
      const message = [reason, hint].filter(Boolean).join("; ");
      return { classname, name: `${id} ${claims[id].text}`, outcome: { kind: "skipped", message } };
    });
}

function caseOf(check: CheckReport, { id }: RequirementReport, report: Report): Case {
  const { name: title, verdict, reason = "", hint } = check;
  const base = { classname: `conformance.${groupOf(id)}.${id}`, name: `${id} ${title}` };
  const error = report.suiteErrors.find((one) => one.requirement === id && one.check === title);
  if (error) {
    const message = `an internal error of the suite, not of the target: ${error.message}`;
    return { ...base, outcome: { kind: "error", message } };
  }
  if (check.unmet) return { ...base, outcome: { kind: "error", message: reason } };
  if (verdict === "skipped") {
    const message = [reason, hint].filter(Boolean).join("; ");
    return { ...base, outcome: { kind: "skipped", message } };
  }
  if (verdict === "passed") return base;
  const message = `expected ${check.expected}, got ${check.actual}`;
  const text = `${requirements[id].text}\n\n${findingsOf(check, report)}`;
  if (verdict === "warned") return { ...base, output: `warning: ${message}\n${text}` };
  if (!isKnown(report, id)) return { ...base, outcome: { kind: "failure", message, text } };
  const entry = report.baseline?.known.find(({ requirement }) => requirement === id);
  const known = `known failure until ${entry?.expires}: ${entry?.reason}`;
  return { ...base, outcome: { kind: "skipped", message: known }, output: `${message}\n${text}` };
}

function findingsOf({ findings = [] }: CheckReport, { traffic }: Report): string {
  const lines = findings.slice(0, MAX_FINDINGS).flatMap(({ message, evidence: [first] }) => {
    const found = traffic.find(({ nr }) => nr === first);
    return [message, ...(found ? [`  ${trafficLine(found)}`] : [])];
  });
  const more = findings.length - MAX_FINDINGS;
  return [...lines, ...(more > 0 ? [`and ${counted(more, "more finding")}`] : [])].join("\n");
}

function baselineCases({ baseline }: Report): Case[] {
  const failure = (id: string, message: string): Case => {
    return { classname: "conformance.baseline", name: id, outcome: { kind: "failure", message } };
  };
  return [
    ...(baseline?.stale ?? []).map(({ requirement }) =>
      failure(requirement, "is a known failure but passes: remove it from the baseline"),
    ),
    ...(baseline?.expired ?? []).map(({ requirement, expires }) =>
      failure(requirement, `was a known failure until ${expires} and still fails`),
    ),
  ];
}

function countsOf(cases: readonly Case[]) {
  const count = (kind: string) => cases.filter(({ outcome }) => outcome?.kind === kind).length;
  return {
    tests: String(cases.length),
    failures: String(count("failure")),
    errors: String(count("error")),
    skipped: String(count("skipped")),
  };
}

function renderCase({ classname, name, outcome, output }: Case): string[] {
  const open = `    <testcase${attributes({ classname, name })}`;
  if (!outcome && output === undefined) return [`${open}/>`];
  return [
    `${open}>`,
    ...(outcome ? [renderOutcome(outcome)] : []),
    ...(output === undefined ? [] : [`      <system-out>${escaped(output)}</system-out>`]),
    "    </testcase>",
  ];
}

function renderOutcome({ kind, message, text }: NonNullable<Case["outcome"]>): string {
  const start = `      <${kind}${attributes({ message })}`;
  return text === undefined ? `${start}/>` : `${start}>${escaped(text)}</${kind}>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escaped(value).replace(/[\t\n]/g, (mark) => `&#${mark.charCodeAt(0)};`)}"`,
    )
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escaped(text: string): string {
  return printableLines(text).replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);
}
