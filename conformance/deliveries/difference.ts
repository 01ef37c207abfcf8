import { describeValue } from "../../src/contract/describe.ts";

/** Where two values differ. */
interface Difference {
  /** As a JSON pointer, from where they were compared. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Nobody reads more of one body. */
const MOST_DIFFERENCES = 5;

/** Where a value is not as another one, which it should be; the order of members says nothing. */
export function differencesOf(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, "", found);
  return found;
}

function compare(one: unknown, other: unknown, path: string, found: Difference[]): void {
  if (one === other || found.length === MOST_DIFFERENCES) return;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    found.push({ path, expected: describeValue(one, path), actual: describeValue(other, path) });
    return;
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    compare(one[name], other[name], `${path}/${name}`, found);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Of an object, those members that both have. */
export function sharedBy(
  names: readonly string[],
  one: unknown,
  other: unknown,
): [Record<string, unknown>, Record<string, unknown>] {
  const both = names.filter((name) => has(one, name) && has(other, name));
  return [pick(one, both), pick(other, both)];
}

/** Some members of an object, as far as it has them. */
export function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (!isContainer(value)) return {};
  return Object.fromEntries(
    names.filter((name) => has(value, name)).map((name) => [name, value[name]]),
  );
}

function has(value: unknown, name: string): boolean {
  return isContainer(value) && Object.hasOwn(value, name);
}
