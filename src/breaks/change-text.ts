import type { SchemaChangeKind } from "./schema-change.ts";
import type { NormalSchema } from "./schema-form.ts";

/** Describes how a facet of two schemas differs. */
export function describeChange(
  kind: SchemaChangeKind,
  before: NormalSchema,
  after: NormalSchema,
): string {
  const differ = (name: string, pick: (schema: NormalSchema) => unknown) =>
    `${name} ${formatValue(pick(after))} instead of ${formatValue(pick(before))}`;
  switch (kind) {
    case "type-changed":
      return `${typesOf(after)} instead of ${typesOf(before)}`;
    case "values-changed":
      return valuesText(before.values, after.values);
    case "pattern-changed":
      return differ("pattern", ({ patterns }) => patterns.join(" and "));
    case "format-changed":
      return differ("format", ({ formats }) => formats.join(" and "));
    case "bounds-changed":
      return boundsText(before.bounds, after.bounds);
    default:
      return differ("constraints", ({ rest }) => rest);
  }
}

function boundsText(before: NormalSchema["bounds"], after: NormalSchema["bounds"]): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${formatValue(after[name])} instead of ${formatValue(before[name])}`)
    .join(", ");
}

function typesOf({ types, values }: NormalSchema): string {
  return values ? "a closed set" : types.length >= 6 ? "any value" : types.join(" or ");
}

function valuesText(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
): string {
  if (!before) return `only ${formatValue(after)}`;
  if (!after) return `any value instead of only ${formatValue(before)}`;
  const [olds, news] = [before, after].map((values) => new Set(values.map(formatValue)));
  const added = after.filter((value) => !olds?.has(formatValue(value)));
  const removed = before.filter((value) => !news?.has(formatValue(value)));
  return [
    ...(added.length > 0 ? [`${added.map(formatValue).join(", ")} added`] : []),
    ...(removed.length > 0 ? [`${removed.map(formatValue).join(", ")} removed`] : []),
  ].join(", ");
}

/** Describes how the known values of an open set differ. */
export function describeKnownValues(before: NormalSchema, after: NormalSchema): string {
  const values = ({ open }: NormalSchema) => open["x-extensible-enum"];
  const [old, now] = [values(before), values(after)];
  if (Array.isArray(old) && Array.isArray(now)) return `known values: ${valuesText(old, now)}`;
  return `known values ${formatValue(after.open)} instead of ${formatValue(before.open)}`;
}

/** Formats a value for a report; `none` if there is none. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === "") return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
