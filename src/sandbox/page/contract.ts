import { type EventName, eventNames } from "../../../generated/events.ts";
import {
  type ResourceName,
  resourceEvents,
  resourceOperations,
  resources,
} from "../../../generated/resources.ts";
import { jsonSchemaOf } from "../../world/schema.ts";
import { requirementsOf, stateDiagrams } from "../contract-document.ts";
import { FaultsSetting } from "../fault-injector.ts";

/** What the page needs of the contract. */
export interface PageContract {
  /** The requirements of each event, and the kind of its resource; null if it has none. */
  readonly events: Record<EventName, { requirements: readonly string[]; kind: string | null }>;
  /** The state diagram of each kind of resource that has states, as SVG. */
  readonly diagrams: Readonly<Record<string, string>>;
  /** The kinds of resources that the interface only lists. */
  readonly listed: readonly string[];
  /** The schema of the faults. */
  readonly faults: unknown;
}

const names = Object.keys(resources) as ResourceName[];
const kindOf = (name: ResourceName) => resources[name].path.slice(1);

/** Reads what the page needs from the generated files. */
export function pageContract(): PageContract {
  const diagrams = Object.entries(stateDiagrams()).map(([name, svg]) => {
    return [kindOf(name as ResourceName), svg];
  });
  const events = eventNames.map((event) => {
    const name = names.find((one) => resourceEvents[one].includes(event));
    const kind = name === undefined ? null : kindOf(name);
    return [event, { requirements: requirementsOf(event), kind }] as const;
  });
  return {
    events: Object.fromEntries(events) as PageContract["events"],
    diagrams: Object.fromEntries(diagrams),
    listed: names.filter((name) => !("get" in resourceOperations[name])).map(kindOf),
    faults: jsonSchemaOf(FaultsSetting),
  };
}
