import fc from "fast-check";
import type { NormalSchema } from "./schema-form.ts";

/** Samples are the same in each run. */
export const SEED = 20_252_026;

const LONGEST = 100_000;

/** The lengths at and next to the bounds of both schemas. */
export function lengthsNear(
  schema: NormalSchema,
  other: NormalSchema | undefined,
  ...names: readonly string[]
): number[] {
  return [schema, ...(other ? [other] : [])].flatMap(({ bounds }) =>
    names.flatMap((name) => {
      const length = bounds[name];
      return length === undefined ? [] : [length - 1, length, length + 1];
    }),
  );
}

const [min, max] = [new Date("2024-01-01T00:00:00Z"), new Date("2027-12-31T00:00:00Z")];
const moments = fc.date({ min, max, noInvalidDate: true }).map((moment) => moment.toISOString());
const anyText = fc.string();

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
  ),
  date: moments.map((moment) => moment.slice(0, 10)),
  "date-time": moments.chain((moment) => {
    const seconds = moment.slice(0, 19);
    return fc.constantFrom(moment, `${seconds}Z`, `${seconds}+02:00`);
  }),
  uri: fc.webUrl(),
  email: fc.emailAddress(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
};

/** Texts of a schema's pattern and format, and of the lengths that one of the schemas bounds. */
export function texts(schema: NormalSchema, other: NormalSchema | undefined): fc.Arbitrary<string> {
  const own = textsOf(schema);
  const { minLength = 0, maxLength = Infinity } = schema.bounds;
  // A text that is cut or padded may no longer match: the validators decide.
  const fitting = own.fitting.map((text) =>
    text.length > maxLength
      ? text.slice(0, maxLength)
      : text.padEnd(Math.min(minLength, LONGEST), "a"),
  );
  if (!other) return fitting;
  const near = lengthsNear(schema, other, "minLength", "maxLength");
  const bounded = near.filter((length) => length >= 0 && length <= LONGEST);
  const padded = bounded.flatMap((length) => [
    fc.constant("a".repeat(length)),
    own.fitting.map((text) => text.padEnd(length, "a")),
  ]);
  return fc.oneof(...own.all, fitting, ...padded, PLAIN, anyText);
}

const PLAIN = fc.constantFrom("sample", "A", "", "0", "a b");

interface Texts {
  /** Texts that the schema allows, if they can be generated. */
  readonly fitting: fc.Arbitrary<string>;
  /** Texts of each single pattern and format. */
  readonly all: readonly fc.Arbitrary<string>[];
}

const known = new Map<string, Texts>();

function textsOf({ patterns, formats }: NormalSchema): Texts {
  const key = JSON.stringify([patterns, formats]);
  const made = known.get(key) ?? textsFrom(patterns, formats);
  known.set(key, made);
  return made;
}

function textsFrom(patterns: readonly string[], formats: readonly string[]): Texts {
  const expressions = patterns.flatMap(expressionOf);
  const all = [
    ...formats.flatMap((format) => FORMATS[format] ?? []),
    ...expressions.flatMap(textsMatching),
  ];
  const fits = (text: string) => expressions.every((expression) => expression.test(text));
  // A filter that accepts nothing would never end.
  const some = all.find((one) => fc.sample(one, { numRuns: 20, seed: SEED }).some(fits));
  return { all, fitting: some?.filter(fits) ?? all[0] ?? fc.oneof(PLAIN, anyText) };
}

function expressionOf(pattern: string): RegExp[] {
  try {
    return [new RegExp(pattern, "u")];
  } catch {
    return [];
  }
}

/** Texts that match; none for an expression that fast-check cannot generate from. */
function textsMatching(expression: RegExp): fc.Arbitrary<string>[] {
  try {
    return [fc.stringMatching(expression)];
  } catch {
    return [];
  }
}
