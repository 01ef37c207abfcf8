import type { ResourceName } from "../../generated/resources.ts";
import { STATE_TABLES } from "../../scripts/generate/state-diagrams.ts";
import type { Transition } from "../../src/model/state-machine.ts";

const tables: Readonly<Partial<Record<ResourceName, readonly Transition[]>>> = STATE_TABLES;

/** The state table of a resource; empty if it has no states. */
export function transitionsOf(name: ResourceName): readonly Transition[] {
  return tables[name] ?? [];
}

/** The states in which a trigger applies. */
export function statesBefore({ from }: Transition): string {
  return from.map((state) => (state === "new" ? "(new)" : `\`${state}\``)).join(", ");
}
