import { claims, requirements } from "../../generated/requirements.ts";
import { counted, printableLines } from "../../src/text.ts";
import { headlinesOf, isKnown, refusalsIn } from "./ending.ts";
import type { CheckReport, Report, RequirementReport } from "./report.ts";
import { trafficLine, type View } from "./view.ts";

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
export function renderJunit({ report, groups, sum }: View): string {
  // A promise without its effect is an error of its own check.
  const doubts = headlinesOf(report).filter(({ requirements: ids }) => ids.length === 0);
  const { stale = [], expired = [] } = report.baseline ?? {};
  const suites = [
    ...groups.map(({ group, title, members }) => ({
      name: `${group} ${title}`,
      cases: members.flatMap((one) => casesOf(one, `conformance.${group}.${one.id}`, report)),
    })),
    {
      name: "run",
      cases: doubts.map(({ text }): Case => {
        const outcome = { kind: "error", message: text } as const;
        return { classname: "conformance.run", name: "the target delivers its events", outcome };
      }),
    },
    {
      name: "baseline",
      cases: [
        ...stale.map(({ requirement }) => [requirement, "passes: remove it from the baseline"]),
        ...expired.map(({ requirement, expires }) => [requirement, `expired on ${expires}`]),
      ].map(([name = "", message = ""]): Case => {
        const outcome = { kind: "failure", message: `a known failure that ${message}` } as const;
        return { classname: "conformance.baseline", name, outcome };
      }),
    },
  ].filter(({ cases }) => cases.length > 0);
  const properties = {
    ...{ target: report.target, profile: report.profile, claims: sum },
    ...(report.brokenOff !== undefined && { brokenOff: report.brokenOff }),
    ...(report.refusals && { refusals: refusalsIn(report).join("; ") }),
  };
  const counts = countsOf(suites.flatMap(({ cases }) => cases));
  const time = (report.durationMs / 1000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "txfeed conformance", ...counts, time })}>`,
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

function casesOf(requirement: RequirementReport, classname: string, report: Report): Case[] {
  const { id, verdict, reason = "", checks } = requirement;
  if (checks.length === 0) {
    const why = verdict === "excluded" ? { reason: `excluded: ${reason}` } : requirement;
    return [{ classname, name: `${id} ${requirements[id].text}`, outcome: skipped(why) }];
  }
  const open = (requirement.claims ?? []).filter((claim) => claim.verdict === "undecided");
  return [
    ...checks.map((check) => ({
      ...{ classname, name: `${id} ${check.name}` },
      ...resultOf(check, requirement, report),
    })),
    ...open.map((claim) => {
      const name = `${claim.id} ${claims[claim.id].text}`;
      return { classname, name, outcome: skipped(claim) };
    }),
  ];
}

function skipped({ reason = "", hint = "" }: { reason?: string; hint?: string }) {
  return { kind: "skipped", message: [reason, hint].filter(Boolean).join("; ") } as const;
}

function resultOf(
  check: CheckReport,
  { id }: RequirementReport,
  report: Report,
): Pick<Case, "outcome" | "output"> {
  const { name, verdict, reason = "", unmet } = check;
  const error = report.suiteErrors.find((one) => one.requirement === id && one.check === name);
  if (error) {
    const message = `an internal error of the suite, not of the target: ${error.message}`;
    return { outcome: { kind: "error", message } };
  }
  if (unmet) return { outcome: { kind: "error", message: reason } };
  if (verdict === "skipped") return { outcome: skipped(check) };
  if (verdict === "passed") return {};
  const message = `expected ${check.expected}, got ${check.actual}`;
  const text = `${requirements[id].text}\n\n${findingsOf(check, report)}`;
  if (verdict === "warned") return { output: `warning: ${message}\n${text}` };
  if (!isKnown(report, id)) return { outcome: { kind: "failure", message, text } };
  const entry = report.baseline?.known.find(({ requirement }) => requirement === id);
  const known = `known failure until ${entry?.expires}: ${entry?.reason}`;
  return { outcome: { kind: "skipped", message: known }, output: `${message}\n${text}` };
}

function findingsOf({ findings = [] }: CheckReport, { traffic }: Report): string {
  const lines = findings.slice(0, MAX_FINDINGS).flatMap(({ message, evidence: [first] }) => {
    const found = traffic.find(({ nr }) => nr === first);
    return [message, ...(found ? [`  ${trafficLine(found)}`] : [])];
  });
  const more = findings.length - MAX_FINDINGS;
  return [...lines, ...(more > 0 ? [`and ${counted(more, "more finding")}`] : [])].join("\n");
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
  const references = (value: string) =>
    escaped(value).replace(/[\t\n]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${references(value)}"`)
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
