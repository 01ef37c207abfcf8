import { measuredPayloads } from "../payloads.ts";
import { schemas } from "../schemas.ts";
import {
  type Checks,
  type Library,
  MEASURED_EVENTS,
  type MeasuredEvent,
} from "./libraries/library.ts";
import { invalidVariants, type Variant, validVariants } from "./variants.ts";

/** A contestant that is ready to run, with what it gets wrong. */
export interface Equivalence {
  readonly checks: Checks;
  /** How many payloads it was asked about. */
  readonly payloads: number;
  /** What it takes that the schema refuses, or refuses that the schema takes; a line each. */
  readonly misses: readonly string[];
}

/** Every variant of the measured payloads. */
export function variantsOf(event: MeasuredEvent): Variant[] {
  const { body } = measuredPayloads[event];
  const schema = schemas[event];
  return [...validVariants(event, schema, body), ...invalidVariants(schema, body)];
}

/**
 * Sets a contestant up and asks it about every variant: a ratio says nothing of one that checks
 * less.
 */
export async function checkEquivalence({ setUp }: Library): Promise<Equivalence> {
  const checks = await setUp(schemas);
  const wrong = new Map<string, number>();
  let asked = 0;
  for (const event of MEASURED_EVENTS) {
    for (const { description: what, isValid: isSound, body } of variantsOf(event)) {
      asked += 1;
      if ((checks[event](body) === 0) === isSound) continue;
      const line = `${isSound ? "refuses" : "takes"} ${what}`;
      wrong.set(line, (wrong.get(line) ?? 0) + 1);
    }
  }
  const misses = [...wrong].map(([line, count]) => (count > 1 ? `${line} (${count} x)` : line));
  return { checks, payloads: asked, misses };
}
