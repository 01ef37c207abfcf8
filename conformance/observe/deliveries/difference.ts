import { describeValue } from "../../../src/contract/describe.ts";

/** A difference between two values. */
interface Difference {
  /** A JSON pointer, relative to the compared values. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Maximum differences reported per body. */
const MAX_DIFFERENCES = 5;

/** Compares two values. The order of object members is ignored. */
export function differencesOf(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, "", found);
  return found;
}

function compare(one: unknown, other: unknown, path: string, found: Difference[]): void {
  if (one === other || found.length === MAX_DIFFERENCES) return;
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

/** Reduces two objects to the named members that both have. */
export function sharedBy(
  names: readonly string[],
  one: unknown,
  other: unknown,
): [Record<string, unknown>, Record<string, unknown>] {
  const both = names.filter((name) => has(one, name) && has(other, name));
  return [pick(one, both), pick(other, both)];
}

/** The named members that an object has. */
export function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (!isContainer(value)) return {};
  return Object.fromEntries(
    names.filter((name) => has(value, name)).map((name) => [name, value[name]]),
  );
}

function has(value: unknown, name: string): boolean {
  return isContainer(value) && Object.hasOwn(value, name);
}
