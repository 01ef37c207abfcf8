import { counted, printable, type TextStyle, wrapped } from "../../src/text.ts";
import type { KnownFailure, Report } from "./report.ts";

const WIDTH = 100;

/** Renders the suite errors, separate from the target's failures. */
export function renderSuiteErrors({ suiteErrors }: Report, style: TextStyle): string[] {
  if (suiteErrors.length === 0) return [];
  const head = counted(suiteErrors.length, "internal error");
  return [
    "",
    `  ${style.bad(head)} of the suite, not of the target: please report`,
    ...suiteErrors.flatMap(({ requirement, check, message }) => [
      `    ${requirement}  ${check}`,
      ...indented(printable(message), 6),
    ]),
  ];
}

/** Renders the state of the known failures. */
export function renderBaseline({ baseline }: Report, style: TextStyle): string[] {
  if (!baseline) return [];
  const { known, stale, expired, undecided } = baseline;
  return [
    ...entries(style.bad("passes now"), "remove it from the baseline", stale, style),
    ...entries(style.bad("expired"), "fix it, or set a later day", expired, style),
    ...entries("known", "fails, as the baseline expects", known, style),
    ...entries("known, not decided in this run", "", undecided, style),
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
