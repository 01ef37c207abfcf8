import { type Broken, bug, type Mutation } from "./mutation.ts";
import { type Bodies, type Constant, type Json, OTHER_ID, otherId } from "./rewrite.ts";

// Bugs of shape: one field of a body is wrong in one way. Their sentences follow from both.

/** A way in which a field can be wrong. */
interface Flaw {
  /** The end of the sentence, after the field's name. */
  readonly says: string;
  readonly put: (bodies: Bodies, path: string) => Bodies;
}

/**
 * A bug of a field.
 *
 * @param path A JSON pointer, in which `*` is any member.
 */
export function field(
  id: string,
  broken: Broken,
  bodies: Bodies,
  path: string,
  { says, put }: Flaw,
): Mutation {
  const name = path.slice(1).replaceAll("/*", "[]").replaceAll("/", ".");
  const claims = typeof broken === "string" ? ([broken] as const) : broken;
  return bug(id, ...claims).is(`In ${bodies.name}, ${name} ${says}`, put(bodies, path));
}

export const omitted: Flaw = {
  says: "is omitted",
  put: (bodies, path) => bodies.drop(path),
};

/** Sets a field, whether it is there or not. */
export const always = (value: Constant): Flaw => ({
  says: `is always ${JSON.stringify(value)}`,
  put: (bodies, path) => bodies.set(path, value),
});

/** Sets a field that is null or absent. */
export const filled = (value: Constant): Flaw => ({
  says: `is ${JSON.stringify(value)} instead of absent${value === null ? "" : " or null"}`,
  put: (bodies, path) => bodies.fill(path, value),
});

export const named = (name: string): Flaw => ({
  says: `is named ${name}`,
  put: (bodies, path) => bodies.rename(path, name),
});

/** Changes a value that is not null. */
export const changed = (says: string, change: (value: Json) => Json): Flaw => ({
  says,
  put: (bodies, path) => bodies.set(path, (value) => (value === null ? null : change(value))),
});

export const text = changed("is a string", String);
export const number = changed("is a number", Number);
export const upper = changed("is in upper case", (value) => value.toUpperCase());
export const lower = changed("is in lower case", (value) => value.toLowerCase());
export const mistaken = changed("has another last digit", otherId);
export const first = changed("is its first element", ([one = null]) => one);

export const prefixed = (start: string) =>
  changed(`starts with ${start}`, (value) => `${start}${value}`);
export const suffixed = (end: string) => changed(`ends in ${end}`, (value) => `${value}${end}`);

/** Replaces the first occurrence of a text. */
export const respelled = (part: string, by: string) =>
  changed(`has "${by}" in place of "${part}"`, (value) => value.replace(part, by));

export const nulled = always(null);
export const foreign: Flaw = { ...always(OTHER_ID), says: "is an id that no resource has" };

/** Sets a field to the value of another one of the same body. */
export const copyOf = (name: string): Flaw => ({
  says: `has the value of ${name}`,
  put: (bodies, path) => bodies.set(path, (_, body) => body[name]),
});

type Row = readonly [id: string, broken: Broken, path: string, flaw: Flaw];

/** Bugs of fields of the same bodies. */
export const fields = (bodies: Bodies, rows: readonly Row[]): Mutation[] =>
  rows.map(([id, broken, path, flaw]) => field(id, broken, bodies, path, flaw));
