import type { EventName } from "../../generated/events.ts";
import type { ClaimId } from "../../generated/requirements.ts";
import {
  eventSchemaNames,
  responseSchemaNames,
  type SchemaNode,
  schemaNode,
} from "../../generated/schema-index.ts";
import type { Finding } from "../../src/contract/finding.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { ruledClaimsOf } from "../../src/contract/rules/index.ts";
import type { OnDecided } from "../../src/contract/rules/rule.ts";
import {
  checkEvent,
  checkResponse,
  type OperationWithResponse,
} from "../../src/contract/validate.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";

/** The validation of a body by the contract. */
export interface Validation {
  readonly findings: readonly Finding[];
  /** What the body shows of each resource in it, by the resource's path; `""` is the body. */
  readonly resources: ReadonlyMap<string, Shown>;
}

/** What a body shows of the claims on one resource. */
export interface Shown {
  readonly body: unknown;
  /** The claims that the contract decided. */
  readonly decided: Set<ClaimId>;
  /** The claims that are not decided, because the shape of the whole body is invalid. */
  readonly open: Set<ClaimId>;
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

const NOTHING_VALIDATED: Validation = { findings: [], resources: new Map() };

export function validatedResponse(
  operation: OperationWithResponse,
  exchange: Exchange,
  capabilities: Capabilities,
): ValidatedResponse {
  const { status, json } = exchange.response ?? {};
  const isJson = status === 200 && json !== undefined;
  const validation = isJson ? validatedBody(operation, json, capabilities) : NOTHING_VALIDATED;
  return { operation, exchange, isJson, ...validation };
}

/** Validates a body of an operation, such as an item of a list. */
export function validatedBody(
  operation: OperationWithResponse,
  body: unknown,
  { networks }: Capabilities,
): Validation {
  return validated(operation, responseSchemaNames[operation], body, (onDecided) =>
    checkResponse(operation, body, { networks }, onDecided),
  );
}

export function validatedDelivery(
  delivery: Delivery,
  { networks }: Capabilities,
): ValidatedDelivery {
  const { name, json } = delivery;
  if (json === undefined) return { delivery, ...NOTHING_VALIDATED };
  if (!Object.hasOwn(eventSchemaNames, name)) {
    const { findings } = checkEvent(name, json, { networks });
    return { delivery, findings, resources: new Map() };
  }
  const event = name as EventName;
  const validation = validated(event, eventSchemaNames[event], json, (onDecided) =>
    checkEvent(event, json, { networks }, onDecided),
  );
  return { delivery, ...validation };
}

/**
 * Validates a body. The schema decides the claims at each place that has a value, and the rules
 * those that they name: a claim with a rule is decided by the rule only.
 */
function validated(
  name: EventName | OperationWithResponse,
  schema: string,
  body: unknown,
  check: (onDecided: OnDecided) => ReturnType<typeof checkEvent>,
): Validation {
  const resources = new Map<string, Shown>();
  visitSchema(schema, body, (node, value, resource) => {
    const shown = resources.get(resource.path) ?? { ...resource, ...NO_CLAIMS() };
    resources.set(resource.path, shown);
    for (const claim of claimsAt(node, value)) shown.decided.add(claim);
  });
  resources.get("")?.decided.add(wholeClaimOf(name));
  const ruled = ruledClaimsOf(name);
  for (const [path, { decided, open }] of resources) {
    for (const claim of ruled.get(path.replace(/\/\d+/g, "/*")) ?? []) {
      decided.delete(claim);
      open.add(claim);
    }
  }
  const { findings, isShapeValid } = check((claim, path) =>
    resources.get(path)?.decided.add(claim),
  );
  if (isShapeValid) for (const { open } of resources.values()) open.clear();
  // ENR-02: a part of the experimental event with another shape neither passes nor fails.
  const [whole] = resources.values();
  for (const { claim, level } of isShapeValid ? [] : findings) {
    if (claim && level === "notice" && whole?.decided.delete(claim)) whole.open.add(claim);
  }
  return { findings, resources };
}

const NO_CLAIMS = () => ({ decided: new Set<ClaimId>(), open: new Set<ClaimId>() });

/** The claims that a null decides: those that allow it, and one that is about nothing else. */
const DECIDED_BY_NULL = new Set<ClaimId>([
  ...(["BAC-02.reason", "BAC-02.expires-at", "BTX-03.event", "MSG-06.string"] as const),
  ...(["SUB-01.customer-reference", "TXN-02.null-cardless"] as const),
]);
const ONLY_BY_NULL: ClaimId = "TXN-02.null-cardless";

function claimsAt({ claims = [], format }: SchemaNode, value: unknown): readonly ClaimId[] {
  if (value === null) return claims.filter((claim) => DECIDED_BY_NULL.has(claim));
  const all = format === "CONV-02.form" ? [format, "CONV-02.exists" as const] : [format ?? []];
  return [...claims, ...all.flat()].filter((claim) => claim !== ONLY_BY_NULL);
}

/** A resource in a body: the body itself, or an item of a list in an `_embedded`. */
type Resource = Pick<Shown, "body"> & { readonly path: string };

/** Calls `visit` with every schema node for which a payload has a value. */
function visitSchema(
  root: string,
  payload: unknown,
  visit: (node: SchemaNode, value: unknown, resource: Resource) => void,
): void {
  const walk = (own: SchemaNode, value: unknown, path: string, resource: Resource) => {
    for (let at: SchemaNode | undefined = own; at; at = next(at, value)) {
      visit(at, value, resource);
      if (typeof value !== "object" || value === null) continue;
      if (at.items && Array.isArray(value)) {
        const item = nodeOf(at.items);
        const isEmbedded = /\/_embedded\/[^/]+$/.test(path);
        value.forEach((body, index) => {
          const below = `${path}/${index}`;
          walk(item, body, below, isEmbedded ? { body, path: below } : resource);
        });
      }
      for (const [name, node] of Object.entries(at.properties ?? {})) {
        const member = memberOf(value, name);
        if (member !== undefined) walk(nodeOf(node), member, `${path}/${name}`, resource);
      }
    }
  };
  walk({ ref: root }, payload, "", { body: payload, path: "" });
}

/** The schema node that a node refers to. For a union, the variant that matches the value. */
function next({ ref, variants }: SchemaNode, value: unknown): SchemaNode | undefined {
  if (ref !== undefined) return schemaNode(ref);
  const tag = variants && memberOf(value, variants.property);
  const variant = typeof tag === "string" ? variants?.of[tag] : undefined;
  return variant === undefined ? undefined : schemaNode(variant);
}

function nodeOf(node: SchemaNode | string): SchemaNode {
  return typeof node === "string" ? { ref: node } : node;
}

/** The claims that a body of an event or of an operation may decide or violate. */
export function claimsOfBody(name: EventName | OperationWithResponse): ReadonlySet<ClaimId> {
  const found = new Set<ClaimId>([...ruledClaimsOf(name).values()].flatMap((all) => [...all]));
  const seen = new Set<string>();
  const walk = ({ ref, variants, items, properties = {}, ...node }: SchemaNode) => {
    for (const claim of [...(node.claims ?? []), node.format ?? []].flat()) found.add(claim);
    const refs = [ref ?? [], Object.values(variants?.of ?? {})].flat();
    for (const one of refs) {
      if (seen.has(one)) continue;
      seen.add(one);
      walk(schemaNode(one) ?? {});
    }
    for (const child of [items ?? [], Object.values(properties)].flat()) walk(nodeOf(child));
  };
  const schemas: Readonly<Record<string, string>> = { ...eventSchemaNames, ...responseSchemaNames };
  walk({ ref: schemas[name] as string });
  if (found.has("CONV-02.form")) found.add("CONV-02.exists");
  return found.add(wholeClaimOf(name));
}

/** The claim that every JSON body decides. */
function wholeClaimOf(name: EventName | OperationWithResponse): ClaimId {
  return name in eventSchemaNames ? "WHK-02.shape" : "CONV-06.json";
}
