import type { ErrorObject } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Side } from "./contract-side.ts";
import { isJson, memberPointer } from "./document.ts";
import type { Message } from "./message.ts";
import { normalOf } from "./normal-schema.ts";
import type { Sampler } from "./sample.ts";
import { SEED } from "./sample-text.ts";
import { type SchemaChange, type Step, UNNAMED_PROPERTY } from "./schema-change.ts";
import type { NormalSchema, SchemaAt } from "./schema-form.ts";

/** A message that one contract allows and the other does not. */
export interface Witness {
  /** The message, such as `transaction.created` or `GET /cards/{id} 200`. */
  readonly message: string;
  readonly accepts: "old" | "new";
  readonly rejects: "old" | "new";
  /** `{headers, body}` of a delivery or response, `{path, query, header, body}` of a request. */
  readonly payload: unknown;
  /** AJV's error from the contract that rejects it. */
  readonly error: string;
}

/** The number of values tried at one place of one message. */
const TRIES = 150;

/** The number of starting messages. With more of them, one is likelier to have the place. */
const MAX_BASES = 3;

/**
 * Looks for a message that `source` allows and `target` rejects because of a change. It has no
 * property that `source` does not name, except for an object that is closed.
 *
 * @returns the witness; `unbuilt` if no valid message of `source` is known, although a value that
 * is missing or added breaks for certain; undefined if none was found
 */
export function findWitness(
  change: SchemaChange,
  key: string,
  source: Side,
  target: Side,
): Witness | "unbuilt" | undefined {
  const message = source.message(key);
  if (!message) return undefined;
  const edit = editOf(change, source);
  if (!edit) return undefined;
  const schema = normalOf(source.contract, { schema: message.schema, pointer: "" });
  const bases = startingMessages(message, change, source, target, key);
  for (const base of bases) {
    const at = (value: unknown) => edited(base, schema, change.path, edit, value, source);
    const errorOf = (value: unknown) => {
      const made = at(value);
      const errors = made ? target.errors(key, made.payload) : [];
      const error = errors.find((one) => made && isErrorAt(one, made.pointer));
      return error && source.errors(key, made?.payload).length === 0 ? error : undefined;
    };
    const run = fc.check(
      fc.property(edit.values, (value) => errorOf(value) === undefined),
      { seed: SEED, numRuns: TRIES },
    );
    const [value] = run.counterexample ?? [];
    const made = run.failed ? at(value) : undefined;
    const error = made && errorOf(value);
    if (!error) continue;
    const isWitness = (payload: unknown) =>
      source.errors(key, payload).length === 0 &&
      target.errors(key, payload).some((one) => isErrorAt(one, made.pointer));
    const payload = minimize(made.payload, isWitness);
    return {
      message: message.label,
      accepts: source.name,
      rejects: target.name,
      payload,
      error: `${error.instancePath || "the message"} ${error.message}`,
    };
  }
  const isBuilt = bases.some((base) => source.errors(key, base).length === 0);
  return edit.removes && !isBuilt ? "unbuilt" : undefined;
}

/** The edit of a valid message that produces the difference. */
interface Edit {
  readonly values: fc.Arbitrary<unknown>;
  /** The member that is set or removed; undefined if the value itself is replaced. */
  readonly member?: string;
  readonly removes?: boolean;
}

function editOf(change: SchemaChange, source: Side): Edit | undefined {
  const { kind, property } = change;
  const [own, other] = source.name === "old" ? [change.old, change.new] : [change.new, change.old];
  const { sampler } = source;
  switch (kind) {
    case "property-added":
    case "property-removed":
    case "property-required":
    case "property-optional": {
      if (!own || property === undefined) return undefined;
      const at = own.properties.get(property);
      if (!own.required.has(property) && other?.required.has(property)) {
        return { values: fc.constant(undefined), member: property, removes: true };
      }
      if (!at || other?.properties.has(property)) return undefined;
      // An object that is open takes any property, and a closed one none.
      return { values: sampler.values(sampler.normal(at)), member: property };
    }
    case "object-closed":
    case "object-opened": {
      if (!own || own.others === false) return undefined;
      const values =
        own.others === true ? fc.constant("sample") : sampler.values(sampler.normal(own.others));
      return { values, member: UNNAMED_PROPERTY };
    }
    case "variant-added":
    case "variant-removed":
      return own && { values: sampler.values(own) };
    case "open-values-changed":
    case "link-target-changed":
      return undefined;
    default:
      return own && { values: sampler.values(own, other) };
  }
}

/** Valid messages to start from. Those that both contracts allow come first. */
function startingMessages(
  message: Message,
  change: SchemaChange,
  source: Side,
  target: Side,
  key: string,
): unknown[] {
  const { sampler } = source;
  const at = { schema: message.schema, pointer: "" };
  const plain = sampler.build(at, change.path);
  // An example may lack a member that is required now.
  const examples = message.examples.map((example) => merged(plain, example));
  const all = [...examples, plain];
  const isCommon = (base: unknown) => target.errors(key, base).length === 0;
  const commons = all.map((base) => ({ base, isFirst: isCommon(base) }));
  const sorted = commons.toSorted((a, b) => Number(b.isFirst) - Number(a.isFirst));
  // The built message always has the place.
  return [...new Set([...sorted.slice(0, MAX_BASES).map(({ base }) => base), plain])];
}

const ANY: SchemaAt = { schema: {}, pointer: "" };

/** An example, with its missing members taken from a built message. */
function merged(built: unknown, example: unknown): unknown {
  if (!isJson(built) || !isJson(example)) return example;
  const names = new Set([...Object.keys(example), ...Object.keys(built)]);
  const members = [...names].map((name) => [
    name,
    name in example ? merged(built[name], example[name]) : built[name],
  ]);
  return Object.fromEntries(members);
}

interface Edited {
  readonly payload: unknown;
  /** A JSON pointer to the place of the difference. */
  readonly pointer: string;
}

/** A copy of a message with an edit at the end of a path. Missing parts of the path are built. */
function edited(
  base: unknown,
  root: NormalSchema,
  path: readonly Step[],
  edit: Edit,
  value: unknown,
  { sampler }: Side,
): Edited | undefined {
  const visit = (
    here: unknown,
    schema: NormalSchema,
    [step, ...rest]: readonly Step[],
    pointer: string,
  ): Edited | undefined => {
    if (!step) return applyEdit(here, pointer, edit, value);
    if (step.kind === "variant") {
      const at = sampler.variantOf(schema, step);
      if (!at) return undefined;
      const fits = step.tag === undefined || (isJson(here) && here[step.tag] === step.value);
      return visit(fits ? here : sampler.build(at), sampler.normal(at), rest, pointer);
    }
    if (step.kind === "item") {
      const { items } = schema;
      if (!items) return undefined;
      const list = Array.isArray(here) && here.length > 0 ? here : [sampler.build(items, rest)];
      const made = visit(list[0], sampler.normal(items), rest, memberPointer(pointer, "0"));
      return made && { ...made, payload: [made.payload, ...list.slice(1)] };
    }
    const { name } = step;
    const own = schema.properties.get(name) ?? variantProperty(schema, name, here, sampler);
    const { others } = schema;
    if (!own && others === false) return undefined;
    const at = own ?? (typeof others === "object" ? others : ANY);
    const object = isJson(here) ? here : {};
    const child = object[name] ?? sampler.build(at, rest);
    const made = visit(child, sampler.normal(at), rest, memberPointer(pointer, name));
    return made && { ...made, payload: { ...object, [name]: made.payload } };
  };
  return visit(base, root, path, "");
}

/** A property that a variant has and the union does not. */
function variantProperty(schema: NormalSchema, name: string, here: unknown, sampler: Sampler) {
  const variants = schema.variants.map((at) => sampler.normal(at));
  const fitting = variants.find(({ properties }) => properties.has(name) && isJson(here));
  return fitting?.properties.get(name);
}

function applyEdit(here: unknown, pointer: string, edit: Edit, value: unknown): Edited | undefined {
  const { member, removes } = edit;
  if (member === undefined) return { payload: value, pointer };
  if (!isJson(here)) return undefined;
  const { [member]: _removed, ...others } = here;
  const payload = removes ? others : { ...here, [member]: value };
  return { payload, pointer: memberPointer(pointer, member) };
}

/** Whether an error is at a place, or below it. */
function isErrorAt({ instancePath, params }: ErrorObject, pointer: string): boolean {
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const at = member === undefined ? instancePath : memberPointer(instancePath, String(member));
  return at === pointer || at.startsWith(`${pointer}/`);
}

const MAX_REMOVALS = 400;

/** Removes the members and items that a witness does not need. */
function minimize(payload: unknown, isProof: (payload: unknown) => boolean): unknown {
  let smallest = payload;
  let tries = MAX_REMOVALS;
  const isWitness = (smaller: unknown) => {
    tries -= 1;
    return tries > 0 && isProof(smaller);
  };
  const shrink = (
    read: (root: unknown) => unknown,
    write: (root: unknown, value: unknown) => unknown,
  ) => {
    const value = read(smallest);
    if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at -= 1) {
        const list = read(smallest) as unknown[];
        const smaller = write(smallest, list.toSpliced(at, 1));
        if (isWitness(smaller)) smallest = smaller;
      }
    } else if (isJson(value)) {
      for (const name of Object.keys(value)) {
        const { [name]: _removed, ...others } = read(smallest) as Record<string, unknown>;
        const smaller = write(smallest, others);
        if (isWitness(smaller)) smallest = smaller;
      }
    }
    const left = read(smallest);
    if (typeof left !== "object" || left === null) return;
    for (const name of Object.keys(left)) {
      shrink(
        (root) => (read(root) as Record<string, unknown>)[name],
        (root, child) => {
          const owner = read(root);
          if (Array.isArray(owner)) return write(root, owner.with(Number(name), child));
          return write(root, { ...(owner as object), [name]: child });
        },
      );
    }
  };
  shrink(
    (root) => root,
    (_root, value) => value,
  );
  return smallest;
}
