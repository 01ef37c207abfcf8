import {
  type Checks,
  type Contestant,
  MEASURED_EVENTS,
  type MeasuredEvent,
} from "../contestants/contestant.ts";
import { measuredPayloads } from "../payloads.ts";
import { schemas } from "../schemas.ts";
import { brokenVariants, soundVariants, type Variant } from "./variants.ts";

/** A contestant that is ready to run, with what it gets wrong. */
export interface Proven {
  readonly checks: Checks;
  /** How many payloads it was asked about. */
  readonly asked: number;
  /** What it takes that the schema refuses, or refuses that the schema takes; a line each. */
  readonly misses: readonly string[];
}

/** Every variant of the measured payloads. */
export function variantsOf(event: MeasuredEvent): Variant[] {
  const { body } = measuredPayloads[event];
  const schema = schemas[event];
  return [...soundVariants(event, schema, body), ...brokenVariants(schema, body)];
}

/**
 * Sets a contestant up and asks it about every variant: a ratio says nothing of one that checks
 * less.
 */
export async function prove({ setUp }: Contestant): Promise<Proven> {
  const checks = await setUp(schemas);
  const wrong = new Map<string, number>();
  let asked = 0;
  for (const event of MEASURED_EVENTS) {
    for (const { what, isSound, body } of variantsOf(event)) {
      asked += 1;
      if ((checks[event](body) === 0) === isSound) continue;
      const line = `${isSound ? "refuses" : "takes"} ${what}`;
      wrong.set(line, (wrong.get(line) ?? 0) + 1);
    }
  }
  const misses = [...wrong].map(([line, count]) => (count > 1 ? `${line} (${count} x)` : line));
  return { checks, asked, misses };
}
