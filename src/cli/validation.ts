import { responses } from "../../generated/validators.js";
import {
  type ContractOptions,
  type Finding,
  type OperationWithResponse,
  validateEvent,
  validateResponse,
} from "../contract/index.ts";
import type { Envelope } from "./envelope.ts";

/** What is to be said of a payload. */
export interface Validation {
  /** Its event or operation. */
  readonly subject: string;
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** Why it could not be judged. */
  readonly problem?: string;
}

/** What a judgement depends on. */
export interface ValidationOptions extends ContractOptions {
  /** Whether warnings count as errors. */
  readonly isStrict: boolean;
}

/** Judges what a line of a capture holds. */
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
      const findings = validateResponseEnvelope(envelope, options);
      return { subject: envelope.operation, ok: isOk(findings, options), findings };
    }
  }
}

/** ERR-02: of the answers only those of a 200 are specified, and not that of every operation. */
function validateResponseEnvelope(
  { operation, status, body }: Envelope & { kind: "response" },
  options: ContractOptions,
): readonly Finding[] {
  if (status !== 200 || !isValidatedOperation(operation)) return [];
  return validateResponse(operation, status, body, options).findings;
}

function isValidatedOperation(operation: string): operation is OperationWithResponse {
  return Object.hasOwn(responses, operation);
}

/** Whether nothing counts as an error. */
export function isOk(findings: readonly Finding[], { isStrict }: ValidationOptions): boolean {
  return findings.every(({ level }) => level === "notice" || (level === "warning" && !isStrict));
}
