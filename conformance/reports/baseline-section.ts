import { counted, printable, type TextStyle, wrapped } from "../../src/text.ts";
import type { KnownFailure, Report } from "./report.ts";

const WIDTH = 100;

/** Renders the suite's own faults, apart from what is the target's. */
export function renderSuiteErrors({ faults }: Report, style: TextStyle): string[] {
  if (faults.length === 0) return [];
  const head = `${counted(faults.length, "fault")} of the suite itself`;
  return [
    "",
    `  ${style.bad(head)}, and none of the target: please report it`,
    ...faults.flatMap(({ requirement, check, message }) => [
      `    ${requirement}  ${check}`,
      ...indented(printable(message), 6),
    ]),
  ];
}

/** Renders what became of the known failures. */
export function renderBaseline({ baseline }: Report, style: TextStyle): string[] {
  if (!baseline) return [];
  const { known, stale, expired, undecided } = baseline;
  return [
    ...entries(style.bad("passes by now"), "take it out of the baseline", stale, style),
    ...entries(style.bad("expired"), "put it right, or set another day", expired, style),
    ...entries("known", "fails, as the baseline says", known, style),
    ...entries("known, and not decided here", "", undecided, style),
  ];
}

function entries(
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
      ...indented(`${requirement}  until ${expires}: ${printable(reason)}`, 4),
    ]),
  ];
}

function indented(text: string, by: number): string[] {
  return wrapped(text, WIDTH - by).map((line) => " ".repeat(by) + line);
}
