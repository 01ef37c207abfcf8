import { claims, requirements } from "../../generated/requirements.ts";
import { counted } from "../../src/text.ts";
import { headlinesOf, knownFailure, refusalsIn } from "./ending.ts";
import type { CheckReport, OpenReason, RequirementReport } from "./report.ts";
import { escapedMarkup, trafficLine, type View } from "./view.ts";

const MAX_FINDINGS = 20;

/** The result of a test case; nothing if it passed. */
interface Result {
  readonly kind?: "failure" | "error" | "skipped";
  readonly message?: string;
  readonly text?: string;
  /** Additional output. */
  readonly output?: string;
}

interface Case extends Result {
  readonly classname: string;
  readonly name: string;
}

/**
 * Renders a report as JUnit XML: a suite for each group, a case for each check. A requirement
 * without checks is a separate case. Warnings are a case's output, because JUnit has no warnings.
 * Known failures are skipped; problems of the baseline are a separate suite.
 */
export function renderJunit(view: View): string {
  const { report, groups, sum } = view;
  // A promise without its effect is an error of its own check.
  const doubts = headlinesOf(report).filter(({ requirements: ids }) => ids.length === 0);
  const { stale = [], expired = [] } = report.baseline ?? {};
  const outdated = [
    ...stale.map((one) => ({ ...one, problem: "passes: remove it from the baseline" })),
    ...expired.map((one) => ({ ...one, problem: `expired on ${one.expires}` })),
  ];
  const suites = [
    ...groups.map(({ group, title, members }) => ({
      name: `${group} ${title}`,
      cases: members.flatMap((one) => casesOf(one, `conformance.${group}.${one.id}`, view)),
    })),
    {
      name: "run",
      cases: doubts.map(({ text: message }): Case => {
        const name = "the target delivers its events";
        return { classname: "conformance.run", name, kind: "error", message };
      }),
    },
    {
      name: "baseline",
      cases: outdated.map(({ requirement: name, problem }): Case => {
        const message = `a known failure that ${problem}`;
        return { classname: "conformance.baseline", name, kind: "failure", message };
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

function casesOf(requirement: RequirementReport, classname: string, view: View): Case[] {
  const { id, verdict, reason = "", checks } = requirement;
  if (checks.length === 0) {
    const why = verdict === "excluded" ? { reason: `excluded: ${reason}` } : requirement;
    return [{ classname, name: `${id} ${requirements[id].text}`, ...skipped(why) }];
  }
  const open = (requirement.claims ?? []).filter((claim) => claim.verdict === "undecided");
  return [
    ...checks.map((check) => ({
      ...{ classname, name: `${id} ${check.name}`, ...resultOf(check, requirement, view) },
    })),
    ...open.map((claim) => ({
      ...{ classname, name: `${claim.id} ${claims[claim.id].text}`, ...skipped(claim) },
    })),
  ];
}

function skipped({ reason = "", hint = "" }: OpenReason): Result {
  return { kind: "skipped", message: [reason, hint].filter(Boolean).join("; ") };
}

function resultOf(check: CheckReport, { id }: RequirementReport, view: View): Result {
  const { report } = view;
  const { name, verdict, reason = "", unmet } = check;
  const error = report.suiteErrors.find((one) => one.requirement === id && one.check === name);
  if (error) {
    const message = `an internal error of the suite, not of the target: ${error.message}`;
    return { kind: "error", message };
  }
  if (unmet) return { kind: "error", message: reason };
  if (verdict === "skipped") return skipped(check);
  if (verdict === "passed") return {};
  const message = `expected ${check.expected}, got ${check.actual}`;
  const text = `${requirements[id].text}\n\n${findingsOf(check, view)}`;
  if (verdict === "warned") return { output: `warning: ${message}\n${text}` };
  const known = knownFailure(report, id);
  if (!known) return { kind: "failure", message, text };
  const why = `known failure until ${known.expires}: ${known.reason}`;
  return { kind: "skipped", message: why, output: `${message}\n${text}` };
}

function findingsOf({ findings = [] }: CheckReport, { traffic }: View): string {
  const lines = findings.slice(0, MAX_FINDINGS).flatMap(({ message, evidence: [first = -1] }) => {
    const found = traffic.get(first);
    return [message, ...(found ? [`  ${trafficLine(found)}`] : [])];
  });
  const more = findings.length - MAX_FINDINGS;
  return [...lines, ...(more > 0 ? [`and ${counted(more, "more finding")}`] : [])].join("\n");
}

function countsOf(cases: readonly Case[]) {
  const count = (wanted: Result["kind"]) => `${cases.filter(({ kind }) => kind === wanted).length}`;
  return {
    ...{ tests: `${cases.length}`, failures: count("failure") },
    ...{ errors: count("error"), skipped: count("skipped") },
  };
}

function renderCase({ classname, name, kind, message = "", text, output }: Case): string[] {
  const start = `      <${kind}${attributes({ message })}`;
  const lines = [
    ...(kind
      ? [text === undefined ? `${start}/>` : `${start}>${escapedMarkup(text)}</${kind}>`]
      : []),
    ...(output === undefined ? [] : [`      <system-out>${escapedMarkup(output)}</system-out>`]),
  ];
  const open = `    <testcase${attributes({ classname, name })}`;
  return lines.length === 0 ? [`${open}/>`] : [`${open}>`, ...lines, "    </testcase>"];
}

function attributes(values: Readonly<Record<string, string>>): string {
  const references = (value: string) =>
    escapedMarkup(value).replace(/[\t\n]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${references(value)}"`)
    .join("");
}
