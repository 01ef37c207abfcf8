import { isDeepStrictEqual } from "node:util";
import { shortened } from "../text.ts";
import { describeChange, describeKnownValues, formatValue } from "./change-text.ts";
import type { Contract } from "./contract.ts";
import { memberPointer } from "./document.ts";
import { normalOf } from "./normal-schema.ts";
import {
  type SchemaChange,
  type SchemaChangeKind,
  type Step,
  UNNAMED_PROPERTY,
} from "./schema-change.ts";
import type { NormalSchema, SchemaAt } from "./schema-form.ts";

/** The maximum length of the JSON that names a variant. */
const MAX_NAME_LENGTH = 80;

/** Compares the schemas of a message in two contracts. */
export class SchemaDiff {
  readonly #old: Contract;
  readonly #new: Contract;
  readonly #changes: SchemaChange[] = [];
  /** The pairs of pointers being compared. A repeated pair ends the recursion. */
  readonly #above: string[] = [];

  constructor(oldContract: Contract, newContract: Contract) {
    this.#old = oldContract;
    this.#new = newContract;
  }

  /** The changes from one schema to the other, at every depth. */
  compare(oldAt: SchemaAt, newAt: SchemaAt): readonly SchemaChange[] {
    this.#changes.length = 0;
    this.#visit(oldAt, newAt, []);
    return [...this.#changes];
  }

  #visit(oldAt: SchemaAt, newAt: SchemaAt, path: readonly Step[]): void {
    const before = normalOf(this.#old, oldAt);
    const after = normalOf(this.#new, newAt);
    const pair = `${before.pointer} ${after.pointer}`;
    if (this.#above.includes(pair) && path.length > 0) return;
    this.#above.push(pair);
    this.#compareValues(before, after, path);
    const [wasUnion, isUnion] = [before, after].map(({ variants }) => variants.length > 0);
    const areObjects = before.types.includes("object") && after.types.includes("object");
    // A schema that becomes a union is compared with its variants.
    if (areObjects && wasUnion === isUnion) this.#compareObjects(before, after, path);
    if (before.items && after.items) {
      this.#visit(before.items, after.items, [...path, { kind: "item" }]);
    }
    if (wasUnion || isUnion)
      this.#compareVariants(unionOf(before, oldAt), unionOf(after, newAt), path);
    this.#above.pop();
  }

  /** Adds at most one change of the allowed values, and one of the link target. */
  #compareValues(before: NormalSchema, after: NormalSchema, path: readonly Step[]): void {
    const change = { pointer: after.pointer, path, old: before, new: after };
    const facets: readonly [SchemaChangeKind, (schema: NormalSchema) => unknown][] = [
      ["type-changed", ({ types, values }) => values === undefined && types],
      ["values-changed", ({ values }) => values],
      ["pattern-changed", ({ patterns }) => patterns],
      ["format-changed", ({ formats }) => formats],
      ["bounds-changed", ({ bounds }) => bounds],
      ["constraint-changed", ({ rest }) => rest],
    ];
    const differing = facets.filter(([, facet]) => !isDeepStrictEqual(facet(before), facet(after)));
    const [first] = differing;
    if (first) {
      const text = differing.map(([kind]) => describeChange(kind, before, after)).join("; ");
      const isClosing = first[0] === "type-changed" && (before.values || after.values);
      this.#changes.push({ ...change, kind: isClosing ? "values-changed" : first[0], text });
    } else if (!isDeepStrictEqual(before.open, after.open)) {
      this.#changes.push({
        ...change,
        kind: "open-values-changed",
        text: describeKnownValues(before, after),
      });
    }
    if (!isDeepStrictEqual(before.leadsTo, after.leadsTo)) {
      const [old, now] = [before.leadsTo, after.leadsTo].map(formatValue);
      const text = `leads to ${now} instead of ${old}`;
      this.#changes.push({ ...change, kind: "link-target-changed", text });
    }
  }

  #compareObjects(before: NormalSchema, after: NormalSchema, path: readonly Step[]): void {
    const names = new Set([...before.properties.keys(), ...after.properties.keys()]);
    for (const name of [...before.required, ...after.required]) names.add(name);
    for (const name of names) this.#compareProperty(name, before, after, path);
    const isOpen = ({ others }: NormalSchema) => others !== false;
    const change = { pointer: after.pointer, path, old: before, new: after };
    if (isOpen(before) && !isOpen(after)) {
      this.#changes.push({
        ...change,
        kind: "object-closed",
        text: "other properties are no longer allowed",
      });
    } else if (!isOpen(before) && isOpen(after)) {
      this.#changes.push({
        ...change,
        kind: "object-opened",
        text: "other properties are now allowed",
      });
    } else if (!isDeepStrictEqual(before.others, after.others)) {
      const other = [...path, { kind: "member", name: UNNAMED_PROPERTY } as const];
      this.#visit(schemaOf(before.others), schemaOf(after.others), other);
    } else if (before.hasIndex !== after.hasIndex) {
      const kind = after.hasIndex ? "index-added" : "index-removed";
      const text = `other properties are ${after.hasIndex ? "now" : "no longer"} declared`;
      this.#changes.push({ ...change, kind, text });
    }
  }

  #compareProperty(
    property: string,
    before: NormalSchema,
    after: NormalSchema,
    path: readonly Step[],
  ): void {
    const oldAt = before.properties.get(property);
    const newAt = after.properties.get(property);
    const wasRequired = before.required.has(property);
    const isRequired = after.required.has(property);
    const change = { path, property, old: before, new: after };
    const pointer = (newAt ?? oldAt)?.pointer ?? memberPointer(after.pointer, "required");
    if (!oldAt && newAt) {
      const text = `${property} was added, ${isRequired ? "required" : "optional"}`;
      this.#changes.push({ ...change, kind: "property-added", pointer, text });
      return;
    }
    if (oldAt && !newAt) {
      const text = `${property} was removed; it was ${wasRequired ? "required" : "optional"}`;
      this.#changes.push({ ...change, kind: "property-removed", pointer, text });
      return;
    }
    if (wasRequired !== isRequired) {
      const kind = isRequired ? "property-required" : "property-optional";
      const text = `${property} is now ${isRequired ? "required" : "optional"}`;
      this.#changes.push({ ...change, kind, pointer, text });
    }
    const hadDefault = oldAt && normalOf(this.#old, oldAt).hasDefault;
    const hasDefault = newAt && normalOf(this.#new, newAt).hasDefault;
    if (hadDefault !== hasDefault) {
      const text = `${property} ${hasDefault ? "now has a" : "no longer has a"} default`;
      this.#changes.push({ ...change, kind: "default-changed", pointer, text });
    }
    if (oldAt && newAt) this.#visit(oldAt, newAt, [...path, { kind: "member", name: property }]);
  }

  /** Pairs variants by tag, component or content, and the remaining unnamed ones by position. */
  #compareVariants(before: NormalSchema, after: NormalSchema, path: readonly Step[]): void {
    const olds = this.#variantsOf(this.#old, before);
    const news = this.#variantsOf(this.#new, after);
    const pairs = olds.map((old) => [old, news.find(({ name }) => name === old.name)] as const);
    const left = news.filter((one) => !pairs.some(([, same]) => same === one));
    const change = { path, old: before, new: after };
    for (const [old, same] of pairs) {
      const at = old.isNamed ? -1 : left.findIndex(({ isNamed }) => !isNamed);
      const other = same ?? (at < 0 ? undefined : left.splice(at, 1)[0]);
      if (other) this.#visit(old.at, other.at, [...path, old.step]);
      else {
        const { name, normal } = old;
        const text = `the variant ${name} was removed`;
        const gone = { ...change, old: normal, new: undefined, pointer: normal.pointer };
        this.#changes.push({ ...gone, kind: "variant-removed", text });
      }
    }
    for (const { name, normal } of left) {
      const text = `the variant ${name} was added`;
      const added = { ...change, old: undefined, new: normal, pointer: normal.pointer };
      this.#changes.push({ ...added, kind: "variant-added", text });
    }
  }

  #variantsOf(contract: Contract, { variants, tag }: NormalSchema) {
    return variants.map((at) => {
      const normal = normalOf(contract, at);
      const known = tagOf(contract, normal, tag);
      const named = known ? `${known.tag} ${formatValue(known.value)}` : nameOf(normal);
      const step: Step = { kind: "variant", tag: known?.tag, value: known?.value };
      const name = named ?? shortened(JSON.stringify(at.schema), MAX_NAME_LENGTH);
      return { at, normal, step, name, isNamed: named !== undefined };
    });
  }
}

function schemaOf(others: SchemaAt | boolean): SchemaAt {
  return typeof others === "boolean" ? { schema: {}, pointer: "" } : others;
}

/** The property whose single value identifies a variant. */
function tagOf(contract: Contract, normal: NormalSchema, wanted: string | undefined) {
  for (const [tag, at] of normal.properties) {
    if (wanted !== undefined && tag !== wanted) continue;
    const { values } = normalOf(contract, at);
    if (values?.length === 1 && normal.required.has(tag)) return { tag, value: values[0] };
  }
  return undefined;
}

function nameOf({ pointer }: NormalSchema): string | undefined {
  return /^\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1];
}

/** Returns a union. Wraps a schema that is not a union as its only variant. */
function unionOf(schema: NormalSchema, at: SchemaAt): NormalSchema {
  return schema.variants.length > 0 ? schema : { ...schema, variants: [schema.only ?? at] };
}
