/**
 * The functions that AJV's compiled validators call to collect errors. The generator bundles this
 * module into `generated/validators.js`.
 */
import type { ShapeError } from "../../generated/validators.js";
import { DEFAULT_NETWORKS, type Networks } from "./networks.ts";

/** An error while it is collected. */
type Collected = { -readonly [Key in keyof ShapeError]: ShapeError[Key] };
type Errors = Collected[] | null;

/** A function that AJV compiled. */
interface Compiled {
  (payload: unknown): boolean;
  errors?: Errors;
}

/** The maximum number of errors per payload, to limit time and memory. */
const MAX_ERRORS = 1000;

/** The network codes of the current call. */
export let codes: Networks = DEFAULT_NETWORKS;
let hasDeviations = false;
let collectsDeviations = false;

/**
 * Records that a value is outside an open set.
 *
 * @returns Whether the value is an error in this call.
 */
export function deviates(): boolean {
  hasDeviations = true;
  return collectsDeviations;
}

/** Adds the error of a missing member. */
export function missing(path: string, errors: Errors, closest?: string, own?: string): Errors {
  const error = { keyword: "required", instancePath: path, params: {}, closest, own };
  if (errors === null) return [error];
  errors.push(error);
  return errors;
}

/** Sets the requirements of a member's errors, from the index `start`. */
export function attach(errors: Collected[], start: number, closest: string, own?: string): void {
  for (let index = start; index < errors.length; index += 1) {
    const error = errors[index] as Collected;
    error.closest = closest;
    error.own = own;
  }
}

/** Adds the errors that another validator found at `path`. The deepest requirements win. */
export function below(
  found: Collected[],
  path: string,
  errors: Errors,
  closest?: string,
  own?: string,
): Errors {
  for (const error of found) {
    if (error.instancePath === "") {
      error.closest ??= closest;
      error.own ??= own;
    } else error.above ??= closest;
    error.instancePath = path + error.instancePath;
  }
  if (errors === null) return found;
  const room = MAX_ERRORS - errors.length;
  for (let index = 0; index < found.length && index < room; index += 1) {
    errors.push(found[index] as Collected);
  }
  return errors;
}

export const INVALID = 0;
export const VALID = 1;
export const DEVIATING = 2;

/** Checks whether a payload is valid, and whether all its values are in the open sets. */
export function shapeOf(validate: Compiled, payload: unknown, networks: Networks): 0 | 1 | 2 {
  codes = networks;
  hasDeviations = false;
  if (!validate(payload)) return INVALID;
  return hasDeviations ? DEVIATING : VALID;
}

/** Lists the values of a valid payload that are outside an open set. */
export function deviationsOf(
  validate: Compiled,
  payload: unknown,
  networks: Networks,
): Collected[] {
  codes = networks;
  collectsDeviations = true;
  try {
    return validate(payload) ? [] : (validate.errors ?? []);
  } finally {
    collectsDeviations = false;
  }
}
