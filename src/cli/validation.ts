import { responses } from "../../generated/validators.js";
import {
  type ContractOptions,
  type Finding,
  type Level,
  type OperationWithResponse,
  validateEvent,
  validateResponse,
} from "../contract/index.ts";
import { counted, type TextStyle } from "../text.ts";
import type { Envelope } from "./envelope.ts";

/** The result of validating a payload. */
export interface Validation {
  /** The event or operation. */
  readonly subject: string;
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** Why the payload is unreadable. */
  readonly problem?: string;
}

/** The options of validation. */
export interface ValidationOptions extends ContractOptions {
  /** Whether warnings count as errors. */
  readonly isStrict: boolean;
}

/** Validates a line of a capture. */
export function validateEnvelope(envelope: Envelope, options: ValidationOptions): Validation {
  switch (envelope.kind) {
    case "unreadable":
      return { subject: "", ok: false, findings: [], problem: envelope.problem };
    case "broken":
      return { subject: envelope.subject, ok: false, findings: [envelope.finding] };
    case "delivery": {
      const { findings } = validateEvent(envelope.name, envelope.body, options);
      return { subject: envelope.name, ok: isOk(findings, options), findings };
    }
    case "response": {
      const findings = findingsInResponse(envelope, options);
      return { subject: envelope.operation, ok: isOk(findings, options), findings };
    }
  }
}

/** ERR-02: the contract specifies only responses with status 200, and not for every operation. */
function findingsInResponse(
  { operation, status, body }: Envelope & { kind: "response" },
  options: ContractOptions,
): readonly Finding[] {
  if (status !== 200 || !isSpecified(operation)) return [];
  return validateResponse(operation, status, body, options).findings;
}

function isSpecified(operation: string): operation is OperationWithResponse {
  return Object.hasOwn(responses, operation);
}

/** Whether no finding counts as an error. */
export function isOk(findings: readonly Finding[], { isStrict }: ValidationOptions): boolean {
  return findings.every(({ level }) => level === "notice" || (level === "warning" && !isStrict));
}

/** Counts validated payloads by their result. */
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

/** The progress of reading: "12,000 payloads, 100,000/s". */
export function countingText(
  count: number,
  one: string,
  many = `${one}s`,
): (elapsedMs: number) => string {
  return (elapsedMs) => {
    const perSecond = Math.round((count / Math.max(elapsedMs, 1)) * 1_000).toLocaleString("en-US");
    return `${counted(count, one, many)}, ${perSecond}/s`;
  };
}

/** Renders a tally: "12 payloads: 10 ok, 2 with errors, 0 with warnings, 3 notices". */
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
