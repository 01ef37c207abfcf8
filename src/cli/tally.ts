import type { Level } from "../contract/index.ts";
import { counted, type TextStyle } from "../text.ts";
import type { Validation } from "./validation.ts";

/** How many payloads were judged, and how. */
export class Tally {
  payloads = 0;
  ok = 0;
  withErrors = 0;
  withWarnings = 0;
  notices = 0;
  unreadable = 0;

  add({ ok, findings, problem }: Validation): void {
    const has = (wanted: Level) => findings.some(({ level }) => level === wanted);
    this.payloads += 1;
    if (ok) this.ok += 1;
    if (problem !== undefined) this.unreadable += 1;
    if (findings.length === 0) return;
    if (has("error")) this.withErrors += 1;
    if (has("warning")) this.withWarnings += 1;
    this.notices += findings.filter(({ level }) => level === "notice").length;
  }
}

/** Renders a tally in a line: "12 payloads: 10 ok, 2 with errors, 0 with warnings, 3 notices". */
export function renderTally(
  tally: Tally,
  style: TextStyle,
  one = "payload",
  many = `${one}s`,
): string {
  const { ok, withErrors, withWarnings, notices, unreadable } = tally;
  const part = (count: number, what: string, paint: (text: string) => string) =>
    (count > 0 ? paint : style.dim)(`${count.toLocaleString("en-US")} ${what}`);
  const parts = [
    part(ok, "ok", style.good),
    ...(unreadable > 0 ? [part(unreadable, "unreadable", style.bad)] : []),
    part(withErrors, "with errors", style.bad),
    part(withWarnings, "with warnings", style.warn),
    counted(notices, "notice"),
  ];
  return `${counted(tally.payloads, one, many)}: ${parts.join(", ")}`;
}
