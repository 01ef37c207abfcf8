import type { EventName } from "../../generated/events.ts";
import { operations, type ResponseBodies } from "../../generated/operations.ts";
import {
  DEVIATING,
  events,
  INVALID,
  responses,
  type ShapeValidator,
  shapeOf,
} from "../../generated/validators.js";
import { describeValue } from "./describe.ts";
import { explain, explainEvent, noticesOf, type Subject } from "./explain.ts";
import { type EventBody, EXPERIMENTAL, type FeedEvent } from "./feed-event.ts";
import { type Finding, findingOf, noticeOf } from "./finding.ts";
import { type ContractOptions, networksIn } from "./networks.ts";
import { applyEventRules, applyResponseRules } from "./rules/index.ts";
import type { OnDecided } from "./rules/rule.ts";

/** The result of a validation. If `ok`, the body has its type in the contract. */
export type Validation<T> =
  | { readonly ok: true; readonly body: T; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly body: unknown; readonly findings: readonly Finding[] };

/** An operation whose JSON response the contract specifies. */
export type OperationWithResponse = keyof ResponseBodies;

/**
 * Validates a delivery's body: its shape and, if the shape is valid, the rules between its fields.
 * Never throws.
 *
 * @param name The value of the header `webhook-event-type`. An unknown name is an error of WHK-01.
 * @param body The parsed JSON body, with `metadata`.
 * @param options The network codes, if they are not the placeholders of the interface.
 * @returns The body with its type, and the findings, at most 1000 about the shape. Warnings and
 * notices leave it `ok`.
 * @see WHK-01
 */
export function validateEvent<Name extends EventName>(
  name: Name,
  body: unknown,
  options?: ContractOptions,
): Validation<EventBody<Name>>;
export function validateEvent(
  name: string,
  body: unknown,
  options?: ContractOptions,
): Validation<unknown>;
export function validateEvent(
  name: string,
  body: unknown,
  options?: ContractOptions,
): Validation<unknown> {
  return toValidation(body, checkEvent(name, body, options).findings);
}

/** The findings of a body, and whether it has its shape. */
interface BodyCheck {
  readonly isShapeValid: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Validates an event as {@link validateEvent} does; also returns whether its shape is valid.
 *
 * @param onDecided Called for each claim that a rule decides.
 */
export function checkEvent(
  name: string,
  body: unknown,
  options?: ContractOptions,
  onDecided?: OnDecided,
): BodyCheck {
  const networks = networksIn(options);
  if (!isEvent(name)) return { isShapeValid: false, findings: [unknownEventFinding(name)] };
  const validator = events[name] as ShapeValidator<unknown>;
  const shape = shapeOf(validator, body, networks);
  if (shape === INVALID) {
    const findings = explainEvent(eventSubject(name), body, networks);
    return { isShapeValid: false, findings: downgradeExperimental(name, body, findings) };
  }
  const violations = applyEventRules(name, body, networks, onDecided);
  if (shape !== DEVIATING)
    return { isShapeValid: true, findings: downgradeExperimental(name, body, violations) };
  const notices = noticesOf(eventSubject(name), body, networks);
  return {
    isShapeValid: true,
    findings: downgradeExperimental(name, body, [...violations, ...notices]),
  };
}

/**
 * Validates a response: its shape and, if the shape is valid, the rules between its fields. Never
 * throws.
 *
 * @param operation The method and path template, such as `GET /cards/{id}`. An unknown operation is
 * an error.
 * @param status The status, as a number: "200" is an error. The contract specifies only the bodies
 * of 200 responses, and not all of them. Any other response is `ok`, with a notice (ERR-02).
 * @param body The parsed JSON body.
 * @param options The network codes, as in {@link validateEvent}.
 * @returns The same as {@link validateEvent}.
 * @see ERR-02
 */
export function validateResponse<Key extends OperationWithResponse>(
  operation: Key,
  status: keyof ResponseBodies[Key] & 200,
  body: unknown,
  options?: ContractOptions,
): Validation<ResponseBodies[Key][200]> {
  if (status !== 200 || !Object.hasOwn(responses, operation)) {
    return toValidation(body, [unspecifiedFinding(operation, status)]);
  }
  return toValidation(body, checkResponse(operation, body, options).findings);
}

/** Validates the body of a 200 response; the same as {@link checkEvent}. */
export function checkResponse(
  operation: OperationWithResponse,
  body: unknown,
  options?: ContractOptions,
  onDecided?: OnDecided,
): BodyCheck {
  const networks = networksIn(options);
  const validator = responses[operation][200] as ShapeValidator<unknown>;
  const subject: Subject = { name: operation, validator, fallback: "CONV-06.json" };
  const shape = shapeOf(validator, body, networks);
  if (shape === INVALID) return { isShapeValid: false, findings: explain(subject, body) };
  const violations = applyResponseRules(operation, body, networks, onDecided);
  if (shape !== DEVIATING) return { isShapeValid: true, findings: violations };
  const findings = [...violations, ...noticesOf(subject, body, networks)];
  return { isShapeValid: true, findings };
}

function eventSubject(name: EventName): Subject {
  return { name, validator: events[name] as ShapeValidator<unknown>, fallback: "WHK-02.shape" };
}

function isEvent(name: string): name is EventName {
  return Object.hasOwn(events, name);
}

function toValidation<T>(body: unknown, findings: readonly Finding[]): Validation<T> {
  const ok = findings.length === 0 || !findings.some(({ level }) => level === "error");
  return ok ? { ok, body: body as T, findings } : { ok, body, findings };
}

/**
 * ENR-02: a deviation of the experimental event is a notice. Its envelope is not experimental: the
 * body is an object (WHK-02), and so is metadata (WHK-03).
 */
function downgradeExperimental(
  name: EventName,
  body: unknown,
  findings: readonly Finding[],
): readonly Finding[] {
  if (name !== EXPERIMENTAL || findings.length === 0 || !isObject(body)) return findings;
  return findings.map((found) =>
    found.requirement === "WHK-03" ? found : { ...found, level: "notice" },
  );
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownEventFinding(name: string, make = findingOf): Finding {
  const expected = "an event name of the contract";
  return make("WHK-01.event-type", "webhook-event-type", {
    path: "",
    expected,
    actual: describeValue(name),
  });
}

/** The finding for a response that the contract does not specify. */
function unspecifiedFinding(operation: string, status: number): Finding {
  if (!Number.isInteger(status)) {
    const expected = "a whole number, such as 200";
    return findingOf("CONV-06.json", "status", {
      path: "",
      expected,
      actual: describeValue(status),
    });
  }
  if (Object.hasOwn(operations, operation)) {
    const expected = "no response of this status, which the contract does not specify";
    const actual = `status ${status}`;
    const message = `${operation}: expected ${expected}, got ${actual}`;
    return { requirement: "ERR-02", level: "notice", path: "", message, expected, actual };
  }
  const expected = "an operation of the contract, such as GET /cards/{id}";
  return findingOf("CONV-06.json", "operation", {
    path: "",
    expected,
    actual: describeValue(operation),
  });
}

/** The result of reading a delivery: an event to handle, or the errors. */
export type EventReading =
  | { readonly ok: true; readonly event: FeedEvent; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Reads a delivery as a consumer does. The same as {@link validateEvent}, except that an unknown
 * event is `ok`, with a notice: a new event must not break a consumer (VER-01).
 *
 * @see VER-01
 */
export function readEvent(name: string, body: unknown, options?: ContractOptions): EventReading {
  if (!isEvent(name)) {
    const event: FeedEvent = { name: "unknown", receivedName: name, body };
    return { ok: true, event, findings: [unknownEventFinding(name, noticeOf)] };
  }
  const { ok, findings } = validateEvent(name, body, options);
  return ok ? { ok, event: { name, body } as FeedEvent, findings } : { ok, findings };
}
