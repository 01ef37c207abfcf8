import { measuredPayloads } from "../payloads.ts";
import { schemas } from "../schemas.ts";
import {
  type Checks,
  type Library,
  MEASURED_EVENTS,
  type MeasuredEvent,
} from "./libraries/library.ts";
import { invalidVariants, type Variant, validVariants } from "./variants.ts";

/** The checks of a library, and the payloads that it validates wrongly. */
export interface Equivalence {
  readonly checks: Checks;
  /** The number of payloads validated. */
  readonly payloads: number;
  /** One line for each kind of payload that the library wrongly accepts or rejects. */
  readonly misses: readonly string[];
}

/** Returns every variant of a measured payload. */
export function variantsOf(event: MeasuredEvent): Variant[] {
  const { body } = measuredPayloads[event];
  const schema = schemas[event];
  return [...validVariants(event, schema, body), ...invalidVariants(schema, body)];
}

/**
 * Checks that a library accepts every valid variant and rejects every invalid one. Without this, a
 * library that checks less would appear faster.
 */
export async function checkEquivalence({ setUp }: Library): Promise<Equivalence> {
  const checks = await setUp(schemas);
  const wrong = new Map<string, number>();
  let payloads = 0;
  for (const event of MEASURED_EVENTS) {
    for (const { description, isValid, body } of variantsOf(event)) {
      payloads += 1;
      if ((checks[event](body) === 0) === isValid) continue;
      const line = `${isValid ? "rejects" : "accepts"} ${description}`;
      wrong.set(line, (wrong.get(line) ?? 0) + 1);
    }
  }
  const misses = [...wrong].map(([line, count]) => (count > 1 ? `${line} (${count} x)` : line));
  return { checks, payloads, misses };
}
