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

/** Names a bug and the claims that it breaks. Its sentence says why somebody would make it. */
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
  return { is };
}

function operationOf(what: Operation | string, how?: unknown): Operation {
  if (typeof what === "string") return on(what, how as HttpHook);
  return how && what instanceof Bodies ? what.change(how as Change) : what;
}

// Bugs of shape: one field of a body is wrong in one way.

/** A way in which a field can be wrong: makes it so in some bodies. */
type Flaw = (bodies: Bodies, paths: Paths) => Bodies;

/**
 * A bug of a field. Its sentence follows from the bodies, the paths and the flaw.
 *
 * @param paths JSON pointers, in which `*` is any member.
 */
export function field(id: string, broken: Broken, bodies: Bodies, paths: Paths, flaw: Flaw) {
  const claims = typeof broken === "string" ? ([broken] as const) : broken;
  const wrong = flaw(bodies, paths);
  if (!wrong.says) throw new Error(`${id} has no sentence: write bug(...).is(sentence).by(...)`);
  return bug(id, ...claims).is(wrong.says, wrong);
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

/**
 * Changes a value that is not null.
 *
 * @param says How the value is then, for a bug whose sentence follows from it.
 */
export const changed =
  (change: (value: Json) => Json, says?: string): Flaw =>
  (bodies, paths) =>
    bodies.set(paths, (value) => (value === null ? null : change(value)), says);

export const text = changed(String, "is a string");
export const number = changed(Number, "is a number");
export const upper = changed((value) => value.toUpperCase(), "is in upper case");
export const lower = changed((value) => value.toLowerCase(), "is in lower case");
export const decimals = changed((value) => value.toFixed(2), "is a string with two decimals");
export const negative = changed((value) => -value, "has the opposite sign");
export const mistaken = changed(otherId, "has another last digit");
export const first = changed(([one = null]) => one, "is its first element");

export const prefixed = (start: string) =>
  changed((value) => `${start}${value}`, `starts with ${start}`);
export const suffixed = (end: string) => changed((value) => `${value}${end}`, `ends in ${end}`);

/** Replaces the first occurrence of a text. */
export const respelled = (part: string, by: string) =>
  changed((value) => value.replace(part, by), `has "${by}" in place of "${part}"`);

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
