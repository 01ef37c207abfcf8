import { UsageError } from "./errors.ts";

/** An entry of a file of accepted problems. */
type ExpiringEntry<Name extends string> = Readonly<Record<Name | "expires", string>>;

/**
 * Reads a file of accepted problems: a JSON array of objects of texts. `expires` is the last day on
 * which an entry counts, YYYY-MM-DD.
 *
 * @param what The kind of file, for messages: "a baseline".
 * @param names The members that each object must have, `expires` among them.
 * @param mayBeEmpty Those that may be an empty text.
 * @throws {TxfeedError} `usage` that names the entry and its problem
 */
export function parseExpiringEntries<Name extends string>(
  text: string,
  what: string,
  names: readonly (Name | "expires")[],
  mayBeEmpty: readonly Name[] = [],
): readonly ExpiringEntry<Name>[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(`it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(entries)) {
    throw new UsageError(`${what} must be an array of {${names.join(", ")}}`);
  }
  for (const [index, entry] of entries.entries()) {
    const problem = problemOf(entry, names, mayBeEmpty);
    if (problem !== undefined) throw new UsageError(`entry ${index + 1} ${problem}`);
  }
  return entries;
}

function problemOf(
  entry: unknown,
  names: readonly string[],
  mayBeEmpty: readonly string[],
): string | undefined {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return `is not an object with ${names.join(", ")}`;
  }
  const known = names.join(", ");
  const unknown = Object.keys(entry).find((name) => !names.includes(name));
  if (unknown !== undefined) return `has an unknown member "${unknown}" (known: ${known})`;
  const values = entry as Readonly<Record<string, unknown>>;
  const missing = names.find((name) => {
    const value = values[name];
    return typeof value !== "string" || (value.trim() === "" && !mayBeEmpty.includes(name));
  });
  if (missing !== undefined) return `has no ${missing}`;
  return isDay(values.expires as string)
    ? undefined
    : `expires on "${values.expires}", which is not a day (YYYY-MM-DD)`;
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
