import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import {
  eventSchemaNames,
  responseSchemaNames,
  type SchemaNode,
  schemaNode,
} from "../../generated/schema-index.ts";
import type { Finding } from "../../src/contract/finding.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import {
  type OperationWithResponse,
  validateEvent,
  validateResponse,
} from "../../src/contract/validate.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";

/** The validation of a body. */
export interface Validation {
  readonly findings: readonly Finding[];
  /** The requirements attached to schema nodes for which the body has a value. */
  readonly exercised: ReadonlySet<RequirementId>;
}

/** An operation's response and its validation. */
export interface ValidatedResponse extends Validation {
  readonly operation: OperationWithResponse;
  readonly exchange: Exchange;
  /** Whether it is a 200 with a JSON body. Other responses are not validated. */
  readonly isJson: boolean;
}

/** A delivery and its validation. */
export interface ValidatedDelivery extends Validation {
  readonly delivery: Delivery;
}

const NOTHING_VALIDATED: Validation = { findings: [], exercised: new Set() };

export function validatedResponse(
  operation: OperationWithResponse,
  exchange: Exchange,
  { networks }: Capabilities,
): ValidatedResponse {
  const { status, json } = exchange.response ?? {};
  if (status !== 200 || json === undefined) {
    return { operation, exchange, isJson: false, ...NOTHING_VALIDATED };
  }
  const { findings } = validateResponse(operation, 200, json, { networks });
  const exercised = exercisedBy(responseSchemaNames[operation], json);
  return { operation, exchange, isJson: true, findings, exercised };
}

export function validatedDelivery(
  delivery: Delivery,
  { networks }: Capabilities,
): ValidatedDelivery {
  const { name, json } = delivery;
  if (json === undefined) return { delivery, ...NOTHING_VALIDATED };
  const { findings } = validateEvent(name, json, { networks });
  const place = Object.hasOwn(eventSchemaNames, name)
    ? eventSchemaNames[name as EventName]
    : undefined;
  return {
    delivery,
    findings,
    exercised: place === undefined ? new Set() : exercisedBy(place, json),
  };
}

function exercisedBy(place: string, body: unknown): Set<RequirementId> {
  const exercised = new Set<RequirementId>();
  visitSchema(place, body, ({ requirements = [], format }, value) => {
    // A null does not exercise the requirements of a value.
    if (value === null) return;
    for (const id of requirements) exercised.add(id);
    if (format) exercised.add(format);
  });
  return exercised;
}

/** Calls `visit` with every schema node for which a payload has a value. */
function visitSchema(
  root: string,
  payload: unknown,
  visit: (place: SchemaNode, value: unknown) => void,
): void {
  const walk = (own: SchemaNode, value: unknown) => {
    for (let at: SchemaNode | undefined = own; at; at = next(at, value)) {
      visit(at, value);
      if (typeof value !== "object" || value === null) continue;
      if (at.items && Array.isArray(value)) {
        const item = placeOf(at.items);
        for (const one of value) walk(item, one);
      }
      for (const [name, place] of Object.entries(at.properties ?? {})) {
        const member = memberOf(value, name);
        if (member !== undefined) walk(placeOf(place), member);
      }
    }
  };
  walk({ ref: root }, payload);
}

/** The schema node that a node refers to. For a union, the variant that matches the value. */
function next({ ref, variants }: SchemaNode, value: unknown): SchemaNode | undefined {
  if (ref !== undefined) return schemaNode(ref);
  const tag = variants && memberOf(value, variants.property);
  const variant = typeof tag === "string" ? variants?.of[tag] : undefined;
  return variant === undefined ? undefined : schemaNode(variant);
}

function placeOf(place: SchemaNode | string): SchemaNode {
  return typeof place === "string" ? { ref: place } : place;
}
