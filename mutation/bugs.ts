import { type ClaimId, claims } from "../generated/requirements.ts";
import type { HttpHook, Mutation, Operation } from "./mutation.ts";
import { on } from "./requests.ts";
import {
  Bodies,
  type Change,
  type Constant,
  type Json,
  OTHER_ID,
  otherId,
  type Paths,
} from "./rewrite.ts";

// The rows of the tables of bugs.

/** A claim that a bug breaks, or several. */
export type Broken = ClaimId | readonly [ClaimId, ...ClaimId[]];

/** Says what a bug does. */
interface By {
  (operation: Operation): Mutation;
  /** It changes some bodies. */
  (bodies: Bodies, edit: Change): Mutation;
  /** It handles requests, such as those of `GET /cards/{}`. */
  (requests: string, hook: HttpHook): Mutation;
}

/** Names a bug and the claims that it breaks. */
export function bug(id: string, ...broken: readonly [ClaimId, ...ClaimId[]]) {
  const make = (description: string, { http, deliveries, inside, world }: Operation): Mutation => ({
    ...{ id, claims: broken, requirement: claims[broken[0]].requirement, description },
    ...{ http, deliveries, inside, world },
  });
  /** Says what the bug is, and what it does: at once, or by what follows. */
  function is(description: string, operation: Operation): Mutation;
  function is(description: string): { readonly by: By };
  function is(description: string, operation?: Operation): Mutation | { readonly by: By } {
    if (operation) return make(description, operation);
    return { by: (what: Operation | string, how?) => make(description, operationOf(what, how)) };
  }
  /** Says what the bug does by an operation that describes itself. */
  const by = (operation: Operation) => make(operation.says ?? "", operation);
  return { is, by };
}

function operationOf(what: Operation | string, how?: unknown): Operation {
  if (typeof what === "string") return on(what, how as HttpHook);
  return how && what instanceof Bodies ? what.change(how as Change) : what;
}

// Bugs of shape: one field of a body is wrong in one way.

/** A way in which a field can be wrong: makes it so in some bodies. */
type Flaw = (bodies: Bodies, paths: Paths) => Bodies;

/**
 * A bug of a field.
 *
 * @param paths JSON pointers, in which `*` is any member.
 */
export function field(id: string, broken: Broken, bodies: Bodies, paths: Paths, flaw: Flaw) {
  const claims = typeof broken === "string" ? ([broken] as const) : broken;
  return bug(id, ...claims).by(flaw(bodies, paths));
}

export const omitted: Flaw = (bodies, paths) => bodies.drop(...[paths].flat());

/** Sets a field, whether it is there or not. */
export const always =
  (value: Constant): Flaw =>
  (bodies, paths) =>
    bodies.set(paths, value);

/** Sets a field that is null or absent. */
export const filled =
  (value: Constant): Flaw =>
  (bodies, paths) =>
    bodies.fill(paths, value);

export const named =
  (name: string): Flaw =>
  (bodies, paths) =>
    bodies.rename(paths, name);

/** Changes a value that is not null. */
export const changed =
  (says: string, change: (value: Json) => Json): Flaw =>
  (bodies, paths) =>
    bodies.set(paths, (value) => (value === null ? null : change(value)), says);

export const text = changed("is a string", String);
export const number = changed("is a number", Number);
export const upper = changed("is in upper case", (value) => value.toUpperCase());
export const lower = changed("is in lower case", (value) => value.toLowerCase());
export const decimals = changed("is a string with two decimals", (value) => value.toFixed(2));
export const negative = changed("has the opposite sign", (value) => -value);
export const mistaken = changed("has another last digit", otherId);
export const first = changed("is its first element", ([one = null]) => one);

export const prefixed = (start: string) =>
  changed(`starts with ${start}`, (value) => `${start}${value}`);
export const suffixed = (end: string) => changed(`ends in ${end}`, (value) => `${value}${end}`);

/** Replaces the first occurrence of a text. */
export const respelled = (part: string, by: string) =>
  changed(`has "${by}" in place of "${part}"`, (value) => value.replace(part, by));

export const nulled = always(null);
export const foreign: Flaw = (bodies, paths) =>
  bodies.set(paths, OTHER_ID, "is an id that no resource has");

/** Sets a field to the value of another one of the same body. */
export const copyOf =
  (name: string): Flaw =>
  (bodies, paths) =>
    bodies.set(paths, (_, body) => body[name], `has the value of ${name}`);

type Row = readonly [id: string, broken: Broken, paths: Paths, flaw: Flaw];

/** Bugs of fields of the same bodies. */
export const fields = (bodies: Bodies, rows: readonly Row[]): Mutation[] =>
  rows.map(([id, broken, paths, flaw]) => field(id, broken, bodies, paths, flaw));
