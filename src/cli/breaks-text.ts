import { AUDIENCES, type Change, isBreaking, type Verdict } from "../breaks/change.ts";
import type { Witness } from "../breaks/witness.ts";
import { counted, printable, shortened, type TextStyle } from "../text.ts";
import { type Comparison, fails, inOrder, summaryOf } from "./breaks-report.ts";

const MARKS: Readonly<Record<Verdict, string>> = { breaking: "✗", compatible: "✓", none: "·" };
const MAX_CHANGE_LENGTH = 72;
const MAX_WITNESS_LENGTH = 400;
const MAX_BROKEN = 20;

/** Renders a comparison as text: a table, the proof of each break, and the verdict last. */
export function renderText(comparison: Comparison, style: TextStyle): string {
  const { breakage, unapproved, approvals, captures } = comparison;
  const changes = inOrder(breakage.changes);
  const breaking = changes.filter(isBreaking);
  const ending = unapproved.length === 0 && breaking.length > 0 ? ", all approved" : "";
  const paint = fails(comparison) ? style.bad : style.good;
  const lines = [
    `breaks: ${comparison.old} → ${comparison.new}`,
    "",
    ...(changes.length > 0 ? [...tableOf(comparison, changes, style), ""] : []),
    ...breaking.flatMap((change) => [...proofOf(change, !unapproved.includes(change), style), ""]),
    ...approvals.stale.map(
      ({ kind, pointer }) => `stale approval: ${kind} ${pointer} breaks nothing; remove it`,
    ),
    ...approvals.expired.map(
      ({ kind, pointer, expires }) => `expired approval: ${kind} ${pointer} ended on ${expires}`,
    ),
    ...(captures ? [...captureLines(captures, style), ""] : []),
    style.bold(paint(`${summaryOf(breakage)}${ending}`)),
  ];
  return `${lines.join("\n")}\n`;
}

function tableOf({ breakage }: Comparison, changes: readonly Change[], style: TextStyle): string[] {
  const paint = { breaking: style.bad, compatible: style.good, none: style.dim };
  const row = (text: string, verdicts: Change["audiences"]) => {
    const marks = AUDIENCES.map((one) => {
      const gap = " ".repeat(one.length + 1);
      return `${paint[verdicts[one]](MARKS[verdicts[one]])}${gap}`;
    });
    return `  ${text.padEnd(width)}  ${marks.join("")}`.trimEnd();
  };
  const texts = changes.map(({ where, text }) =>
    shortened(printable(`${where}: ${text}`), MAX_CHANGE_LENGTH),
  );
  const width = Math.max(...texts.map((text) => text.length), "all changes".length);
  const head = AUDIENCES.map((one) => `${one}  `).join("");
  return [
    style.dim(`  ${"change".padEnd(width)}  ${head}`.trimEnd()),
    ...changes.map(({ audiences }, at) => row(texts[at] ?? "", audiences)),
    row("all changes", breakage.audiences),
    style.dim("  ✗ breaking   ✓ compatible   · no change"),
  ];
}

function proofOf(change: Change, isApproved: boolean, style: TextStyle): string[] {
  const { where, kind, text, witnesses = [], reasons = {}, migration } = change;
  const approval = isApproved ? style.warn("  approved") : "";
  return [
    `${style.bold(printable(where))}: ${printable(text)}  ${style.dim(kind)}${approval}`,
    ...witnesses.flatMap(witnessLines).map((line) => `  ${line}`),
    ...Object.entries(reasons).map(([audience, reason]) => `  ${audience}: ${reason}`),
    ...(migration ?? []).map((step) => `  → ${step}`),
  ];
}

function witnessLines({ message, accepts, rejects, payload, error }: Witness): string[] {
  return [
    `witness: ${message}, valid in ${accepts}, invalid in ${rejects}: ${error}`,
    `  ${shortened(printable(JSON.stringify(payload)), MAX_WITNESS_LENGTH)}`,
  ];
}

function captureLines(captures: NonNullable<Comparison["captures"]>, style: TextStyle): string[] {
  const { messages, invalidBefore, unreadable, broken } = captures;
  const others = [
    ...(invalidBefore > 0 ? [`${invalidBefore} already invalid before the change`] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, "line")} unreadable`] : []),
  ];
  const rest = broken.length - MAX_BROKEN;
  return [
    ...broken
      .slice(0, MAX_BROKEN)
      .map(({ line, message, error }) => `  line ${line}  ${message}  ${style.bad(error)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    [
      `captures: the new contract breaks ${broken.length} of ${counted(messages, "message")}`,
      ...others,
    ].join("; "),
  ];
}
