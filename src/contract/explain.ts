import { type EventName, eventNames } from "../../generated/events.ts";
import type { ClaimId } from "../../generated/requirements.ts";
import {
  deviationsOf,
  events,
  formatClaims,
  INVALID,
  type ShapeError,
  type ShapeValidator,
  shapeOf,
} from "../../generated/validators.js";
import { describeExpectation, describeValue } from "./describe.ts";
import { type Finding, findingOf, noticeOf } from "./finding.ts";
import type { Networks } from "./networks.ts";

/** A payload's contract: its name in findings, and the validator of its shape. */
export interface Subject {
  /** The event or operation, as findings name it. */
  readonly name: string;
  readonly validator: ShapeValidator<unknown>;
  /** The claim to report if the contract names none at that place. */
  readonly fallback: ClaimId;
}

const MAX_FINDINGS = 1000;

/** Turns the errors of the validator's last call into findings, one per error. */
export function explain({ name, validator, fallback }: Subject, payload: unknown): Finding[] {
  const findings: Finding[] = [];
  for (const error of validator.errors ?? []) {
    if (findings.length === MAX_FINDINGS) break;
    const path = error.instancePath;
    const value = valueAt(payload, path);
    const claim = (claimOf(error, value) as ClaimId | undefined) ?? fallback;
    const location = `${name} ${path || "(body)"}`;
    const expected = describeExpectation(error);
    const actual = describeValue(value, path);
    findings.push(findingOf(claim, location, { path, expected, actual }));
  }
  return findings;
}

/** The value at a path of names from the contract, which need no escapes. */
function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (let start = 1; start < path.length; ) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    value = (value as Record<string, unknown> | null)?.[path.slice(start, end)];
    start = end + 1;
  }
  return value;
}

function claimOf(error: ShapeError, value: unknown): string | undefined {
  const { keyword, params, closest, above } = error;
  if (keyword === "format") return formatClaimOf(String(params["format"]), value);
  // BTX-02: a member's last claim is the one for its bound.
  if (keyword === "exclusiveMinimum") return error.own?.split(" ").at(-1) ?? above;
  // The object decides whether a member may be missing or null; the type decides the rest.
  const isOfMember = (value === undefined || value === null) && above !== undefined;
  if (!isOfMember) return closest ?? above;
  const own = error.own?.split(" ");
  // If a member names its object's claim, or the requirement of it, that claim is violated.
  const isOfObject = own?.some((id) => id === above || id === above.split(".", 1)[0]);
  return own === undefined || isOfObject ? above : own[0];
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function formatClaimOf(format: string, value: unknown): ClaimId | undefined {
  // A timestamp in the right form names a time that does not exist.
  const isTimestamp = format === "date-time" && TIMESTAMP.test(String(value));
  return isTimestamp ? "CONV-02.exists" : formatClaims[format];
}

/** Explains why a body does not have the shape of its event. */
export function explainEvent(subject: Subject, body: unknown, networks: Networks): Finding[] {
  const findings = explain(subject, body);
  const errors = subject.validator.errors ?? [];
  if (errors[0]?.keyword === "type" && errors[0].instancePath === "") {
    // WHK-02: no event has a body that is not an object.
    return findings.map((found) => ({ ...found, requirement: "WHK-02", claim: "WHK-02.shape" }));
  }
  // If members of the body itself are missing, it may be the body of another event.
  if (!errors.some(isAboutBody)) return findings;
  const other = eventNames.find((one) => {
    const validator = events[one] as ShapeValidator<unknown>;
    return validator !== subject.validator && shapeOf(validator, body, networks) !== INVALID;
  });
  return other ? [wrongEventFinding(subject.name, other)] : findings;
}

function isAboutBody({ keyword, instancePath }: ShapeError): boolean {
  const isMember = keyword === "required" || keyword === "variants";
  return isMember && instancePath.lastIndexOf("/") === 0;
}

/** WHK-02: one finding for a body under the wrong name, instead of one per member. */
function wrongEventFinding(name: string, other: EventName): Finding {
  const expected = `the shape of ${name}`;
  return findingOf("WHK-02.shape", `${name} (body)`, {
    path: "",
    expected,
    actual: `that of ${other}`,
  });
}

/**
 * Reports each value outside an open set or an open type (MSG-10, TXN-04 and others) as a notice:
 * the interface may add such values (VER-01).
 */
export function noticesOf(subject: Subject, payload: unknown, networks: Networks): Finding[] {
  const { name, validator, fallback } = subject;
  const deviations = deviationsOf(validator, payload, networks);
  return deviations.slice(0, MAX_FINDINGS).map((deviation) => {
    const { instancePath: path, closest, above } = deviation;
    const value = valueAt(payload, path);
    const [expected, actual] = [
      describeExpectation(deviation, networks),
      describeValue(value, path),
    ];
    const claim = ((closest ?? above) as ClaimId | undefined) ?? fallback;
    return noticeOf(claim, `${name} ${path}`, { path, expected, actual });
  });
}
