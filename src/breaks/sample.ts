import fc from "fast-check";
import type { Contract } from "./contract.ts";
import { isJson } from "./document.ts";
import { normalOf } from "./normal-schema.ts";
import { lengthsNear, SEED, texts } from "./sample-text.ts";
import { type Step, UNNAMED_PROPERTY } from "./schema-change.ts";
import type { NormalSchema, SchemaAt } from "./schema-form.ts";

const MAX_DEPTH = 12;
const MAX_ITEMS = 1_500;

/** Generates values of the schemas of one contract. */
export class Sampler {
  readonly #contract: Contract;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  normal(at: SchemaAt): NormalSchema {
    return normalOf(this.#contract, at);
  }

  /** Builds a small valid value that contains the value at a path. */
  build(at: SchemaAt, path: readonly Step[] = []): unknown {
    return this.#build(this.normal(at), path, 0);
  }

  #build(schema: NormalSchema, path: readonly Step[], depth: number): unknown {
    const [step, ...rest] = path;
    if (depth > MAX_DEPTH) return null;
    if (step?.kind === "variant" || (!step && schema.variants.length > 0)) {
      const at = this.variantOf(schema, step);
      return at ? this.#build(this.normal(at), rest, depth + 1) : null;
    }
    if (schema.variants.length > 0) return this.#build(this.#withVariant(schema), path, depth);
    if (step?.kind === "item") {
      return [schema.items ? this.#build(this.normal(schema.items), rest, depth + 1) : null];
    }
    if (step?.kind === "member" || (schema.types.includes("object") && isOnly(schema, "object"))) {
      return this.#object(schema, path, depth);
    }
    const [value] = fc.sample(this.values(schema, undefined, depth + 1), {
      numRuns: 1,
      seed: SEED,
    });
    return value;
  }

  /** The first variant, with the properties of the union itself. */
  #withVariant(schema: NormalSchema): NormalSchema {
    const [first] = schema.variants;
    const variant = first && this.normal(first);
    const properties = new Map([...schema.properties, ...(variant?.properties ?? [])]);
    const required = new Set([...schema.required, ...(variant?.required ?? [])]);
    return { ...schema, variants: [], properties, required };
  }

  #object(schema: NormalSchema, path: readonly Step[], depth: number): unknown {
    const [step, ...rest] = path;
    const object: Record<string, unknown> = {};
    for (const [name, at] of schema.properties) {
      const isOnPath = step?.kind === "member" && step.name === name;
      if (!isOnPath && !schema.required.has(name)) continue;
      object[name] = this.#build(this.normal(at), isOnPath ? rest : [], depth + 1);
    }
    if (step?.kind === "member" && !(step.name in object)) {
      const { others } = schema;
      object[step.name] =
        typeof others === "boolean" ? "sample" : this.#build(this.normal(others), rest, depth + 1);
    }
    for (const name of schema.required) if (!(name in object)) object[name] = "sample";
    return object;
  }

  /** The variant that a step leads to; the first one without a step. */
  variantOf(schema: NormalSchema, step: Step | undefined): SchemaAt | undefined {
    if (step?.kind !== "variant" || step.tag === undefined) return schema.variants[0];
    const { tag, value } = step;
    return schema.variants.find((at) => {
      const property = this.normal(at).properties.get(tag);
      return property && this.normal(property).values?.includes(value);
    });
  }

  /**
   * Values of a schema, including those at the bounds of another schema, where the two may differ.
   */
  values(schema: NormalSchema, other?: NormalSchema, depth = 0): fc.Arbitrary<unknown> {
    const literals = other ? [...(other.values ?? []), ...literalsIn(other.rest)] : [];
    const own = this.#own(schema, other, depth);
    return literals.length === 0 ? own : fc.oneof(own, fc.constantFrom(...literals));
  }

  #own(schema: NormalSchema, other: NormalSchema | undefined, depth: number) {
    if (schema.values) return fc.constantFrom(...schema.values);
    if (depth > MAX_DEPTH) return fc.constant(null);
    if (schema.variants.length > 0) {
      const variants = schema.variants.map((at) => this.values(this.normal(at), other, depth + 1));
      return fc.oneof(...variants);
    }
    const types = schema.types.map((type) => {
      switch (type) {
        case "null":
          return fc.constant(null);
        case "boolean":
          return fc.boolean();
        case "integer":
        case "number":
          return numbers(schema, other, type === "integer");
        case "string":
          return texts(schema, other);
        case "array":
          return this.#arrays(schema, other, depth);
        default:
          return this.#objects(schema, depth);
      }
    });
    return types.length === 0 ? fc.constant(null) : fc.oneof(...types);
  }

  #arrays(schema: NormalSchema, other: NormalSchema | undefined, depth: number) {
    const item = schema.items
      ? this.values(this.normal(schema.items), undefined, depth + 1)
      : fc.constant(null);
    const { minItems = 0, maxItems = MAX_ITEMS } = schema.bounds;
    const fits = (length: number) => length >= minItems && length <= Math.min(maxItems, MAX_ITEMS);
    const near = lengthsNear(schema, other, "minItems", "maxItems");
    const wanted = [0, 1, 2, ...near].filter((length) => length >= 0 && (other || fits(length)));
    const short = wanted.filter((length) => length <= 2);
    const arrays = short.map((length) => fc.array(item, { minLength: length, maxLength: length }));
    const repeated = wanted
      .filter((length) => length >= 2 && length <= MAX_ITEMS)
      .map((length) => item.map((one) => new Array(length).fill(one)));
    return fc.oneof(...arrays, ...repeated);
  }

  #objects(schema: NormalSchema, depth: number): fc.Arbitrary<unknown> {
    const members: Record<string, fc.Arbitrary<unknown>> = {};
    for (const name of schema.required) {
      const at = schema.properties.get(name);
      members[name] = at ? this.values(this.normal(at), undefined, depth + 1) : fc.constant("");
    }
    const { minProperties = 0 } = schema.bounds;
    const missing = Math.min(minProperties, MAX_ITEMS) - Object.keys(members).length;
    for (let nr = 0; nr < missing; nr += 1) members[`${UNNAMED_PROPERTY}${nr}`] = fc.constant("");
    return fc.record(members, { noNullPrototype: true });
  }
}

/** The literals in keywords such as `not`. */
function literalsIn(rest: unknown): unknown[] {
  if (Array.isArray(rest)) return rest.flatMap(literalsIn);
  if (!isJson(rest)) return [];
  const own = [...("const" in rest ? [rest.const] : []), ...[rest.enum ?? []].flat()];
  return [...own, ...Object.values(rest).flatMap(literalsIn)];
}

function isOnly({ types }: NormalSchema, type: string): boolean {
  return types.every((one) => one === type || one === "null");
}

const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0);

/** Numbers of a schema. With another schema, also numbers that only one of the two allows. */
function numbers(schema: NormalSchema, other: NormalSchema | undefined, isWhole: boolean) {
  const plain = [1, 0.5, -1, 0, 100, ...INT_LIMITS, ...edges(schema, other)];
  const fitting = plain.filter((number) => isWithin(schema, number, isWhole));
  if (!other) return fc.constantFrom(...(fitting.length > 0 ? fitting : plain));
  return fc.oneof(fc.constantFrom(...fitting, ...plain), fc.integer(), anyNumber);
}

/** The limits of `int32`. */
const INT_LIMITS = [2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1];

function isWithin({ bounds }: NormalSchema, number: number, isWhole: boolean): boolean {
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = bounds;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = bounds;
  return (
    (!isWhole || Number.isInteger(number)) &&
    number >= minimum &&
    number <= maximum &&
    number > exclusiveMinimum &&
    number < exclusiveMaximum &&
    (multipleOf === undefined || Number.isInteger(number / multipleOf))
  );
}

/** Numbers at and next to the bounds of both schemas. */
function edges(schema: NormalSchema, other: NormalSchema | undefined): number[] {
  return [schema, ...(other ? [other] : [])].flatMap(({ bounds }) => {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
    const limits = [minimum, maximum, exclusiveMinimum, exclusiveMaximum];
    const near = limits.flatMap((limit) =>
      limit === undefined ? [] : [limit, limit - 1, limit + 1, limit - 0.5, limit + 0.5],
    );
    return multipleOf === undefined ? near : [...near, multipleOf, multipleOf * 3];
  });
}
