import { isDeepStrictEqual } from "node:util";
import { describeValue } from "../src/contract/describe.ts";
import { segmentsOf, valueAt } from "../src/contract/pointer.ts";
import { type Breach, type Found, Skip } from "./check.ts";
import { type Delivery, isDelivery } from "./wire/delivery.ts";
import type { Exchange } from "./wire/exchange.ts";

export type Message = Exchange | Delivery;

/** The body of a delivery or of a 200 response, if there is one. */
export function bodyOf(message: Message): unknown {
  if (isDelivery(message)) return message.json;
  return message.response?.status === 200 ? message.response.json : undefined;
}

/** Collects the assertions of one check, and those that failed. */
export class Assertions {
  #assertions = 0;
  readonly #breaches: Breach[] = [];

  /** Asserts a condition. */
  check(isTrue: boolean, breach: Breach): boolean {
    this.#assertions += 1;
    if (!isTrue) this.#breaches.push(breach);
    return isTrue;
  }

  /**
   * Asserts values of a body. Ignores a response without a body, which its endpoint's requirement
   * reports.
   *
   * @param values The expected values, by JSON pointer.
   */
  hasValues(
    message: Message,
    values: Readonly<Record<string, unknown>>,
    ...related: Message[]
  ): void {
    if (bodyOf(message) === undefined) return;
    for (const [path, value] of Object.entries(values)) {
      this.#assertions += 1;
      this.#breaches.push(...differences(message, { [path]: value }, related));
    }
  }

  /**
   * Asserts that an event was delivered, and that one of its deliveries is correct.
   *
   * @param what A description of the event, such as `transaction.updated of ...`.
   * @param requiredBy The message that requires the event.
   */
  wasDelivered(
    deliveries: readonly Delivery[],
    what: string,
    requiredBy: Message,
    findBreaches: (delivery: Delivery) => readonly Breach[] = () => [],
  ): void {
    this.#assertions += 1;
    if (deliveries.length === 0) {
      this.#breaches.push({
        expected: what,
        actual: "it was not delivered",
        evidence: [requiredBy],
      });
      return;
    }
    const checked = deliveries.map(findBreaches);
    const best = checked.toSorted((a, b) => a.length - b.length)[0] ?? [];
    this.#breaches.push(...best);
  }

  /** Asserts that at most `most` of these were sent. */
  atMost(most: number, deliveries: readonly Delivery[], what: string): void {
    this.#assertions += 1;
    const [first, ...others] = deliveries.toReversed();
    if (!first || deliveries.length <= most) return;
    const actual = `${deliveries.length} were delivered`;
    this.#breaches.push({ expected: what, actual, evidence: [first, ...others] });
  }

  /**
   * Returns the result of the check; a skip if nothing was asserted.
   *
   * @param missing Why a part of the scenario did not run. If set, the check can fail but not pass.
   */
  result(reason: string, missing?: Skip): Found | Skip {
    if (missing && this.#breaches.length === 0) return missing;
    if (this.#assertions === 0) return new Skip(reason);
    return { assertions: this.#assertions, breaches: this.#breaches };
  }
}

/** Compares a body with expected values, by JSON pointer. */
export function differences(
  message: Message,
  values: Readonly<Record<string, unknown>>,
  related: readonly Message[] = [],
): Breach[] {
  const body = bodyOf(message);
  return Object.entries(values).flatMap(([path, value]) => {
    const actual = valueAt(body, segmentsOf(path));
    if (isDeepStrictEqual(actual, value)) return [];
    const expected = value === undefined ? "nothing" : JSON.stringify(value);
    return [
      { path, expected, actual: describeValue(actual, path), evidence: [message, ...related] },
    ];
  });
}

/** Creates a breach at one path of a body. */
export function breachAt(
  message: Message,
  path: string,
  expected: string,
  ...related: Message[]
): Breach {
  const actual = describeValue(valueAt(bodyOf(message), segmentsOf(path)), path);
  return { path, expected, actual, evidence: [message, ...related] };
}
