import * as z from "zod";
import { type EventName, eventNames } from "../../../generated/events.ts";
import {
  type ResourceName,
  resourceEvents,
  resourceOperations,
  resources,
} from "../../../generated/resources.ts";
import type { Kind } from "../../world/resources.ts";
import { jsonSchemaOf } from "../../world/schema.ts";
import { requirementsOf, stateDiagrams } from "../contract-document.ts";
import { operations } from "../control/operations.ts";

/** The part of JSON Schema that describes parameters. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** The operations that the page has a form for, in order. */
const FORMS = ["advance", "setClock", "addEndpoint", "setFaults", "reset"] as const;

/** What the page needs of the contract. */
export interface PageContract {
  /** The requirements of each event, and the kind of its resource; null if it has none. */
  readonly events: Record<EventName, { requirements: readonly string[]; kind: Kind | null }>;
  /** The state diagram of each kind of resource that has states, as SVG. */
  readonly diagrams: Readonly<Partial<Record<Kind, string>>>;
  /** The kinds of resources that the interface only lists. */
  readonly listed: readonly Kind[];
  /** The inputs of the operations that the page has a form for. */
  readonly inputs: Readonly<Record<(typeof FORMS)[number] | "snapshot", Schema>>;
}

const names = Object.keys(resources) as ResourceName[];
const kindOf = (name: ResourceName) => resources[name].path.slice(1) as Kind;

/** Reads what the page needs from the generated files. */
export function pageContract(): PageContract {
  const diagrams = Object.entries(stateDiagrams()).map(([name, svg]) => {
    return [kindOf(name as ResourceName), svg];
  });
  const snapshot = jsonSchemaOf(z.strictObject(operations.snapshot.path ?? {}));
  const inputs = FORMS.map((name) => [name, jsonSchemaOf(operations[name].input as z.ZodType)]);
  const events = eventNames.map((event) => {
    const name = names.find((one) => resourceEvents[one].includes(event));
    const kind = name === undefined ? null : kindOf(name);
    return [event, { requirements: requirementsOf(event), kind }] as const;
  });
  return {
    events: Object.fromEntries(events) as PageContract["events"],
    diagrams: Object.fromEntries(diagrams),
    listed: names.filter((name) => !("get" in resourceOperations[name])).map(kindOf),
    inputs: { snapshot, ...Object.fromEntries(inputs) } as PageContract["inputs"],
  };
}
