import { formats } from "../../src/contract/formats.ts";
import { ScriptError } from "../run-script.ts";
import { ANNOTATIONS, type Schema, schemaName } from "./document.ts";

/** The claims of a schema, added to its errors. Ids are joined by a space. */
export interface Requirements {
  /** The first id of the deepest schema in the chain of references. */
  readonly closest?: string | undefined;
  /** The ids next to the `$ref`. */
  readonly own?: string | undefined;
}

/** A call of the validator of a named schema. */
export interface Use extends Requirements {
  readonly name: string;
}

/** The known values of an open set. */
export interface OpenSet {
  readonly shown?: readonly string[];
  readonly form?: string;
}

/** A schema as AJV compiles it, with the keywords of `validator-keywords.ts`. */
export interface ValidatorSchema {
  readonly use?: Use;
  readonly useObject?: Use;
  readonly variants?: { readonly property: string; readonly of: Readonly<Record<string, Use>> };
  readonly properties?: Readonly<Record<string, ValidatorSchema>>;
  readonly required?: readonly string[];
  readonly items?: ValidatorSchema;
  readonly open?: OpenSet;
  readonly openType?: readonly string[];
  readonly requirements?: Requirements;
  /** AJV's own keywords, such as `type`, `format` and `minimum`. */
  readonly [keyword: string]: unknown;
}

/**
 * Rewrites the schemas of the contract for AJV. Scalars are inlined, because a call costs more than
 * the check. Every other schema is compiled once and called by its name.
 */
export class ValidatorSchemas {
  /** The schemas that the roots refer to, by name. */
  readonly named = new Map<string, ValidatorSchema>();
  readonly #schemas: Record<string, Schema>;
  readonly #unnamed = new Map<string, string>();

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
  }

  /** A call of a named schema of the contract. */
  use(name: string): Use {
    const schema = this.#schemas[name] ?? {};
    if (!this.named.has(name)) this.named.set(name, this.#compiled(schema));
    return { name, closest: this.#closestOf(schema) };
  }

  /** A member of an object, or the items of an array. */
  #member(schema: Schema): ValidatorSchema {
    const own = schema["x-requirements"]?.join(" ");
    if (this.#isScalar(schema)) {
      const closest = this.#closestOf(schema);
      const scalar = this.#scalar(schema);
      return closest === undefined ? scalar : { ...scalar, requirements: { closest, own } };
    }
    const { "x-requirements": _ids, ...rest } = withoutWords(schema);
    const isReference = rest.$ref !== undefined && Object.keys(rest).length === 1;
    const { name } = isReference ? this.use(schemaName(rest.$ref ?? "")) : this.#unnamedUse(rest);
    return { use: { name, closest: this.#closestOf(schema), own } };
  }

  #unnamedUse(schema: Schema): Use {
    const text = JSON.stringify(schema);
    const name = this.#unnamed.get(text) ?? `Unnamed${this.#unnamed.size}`;
    this.#unnamed.set(text, name);
    if (!this.named.has(name)) this.named.set(name, this.#compiled(schema));
    return { name };
  }

  #compiled(schema: Schema): ValidatorSchema {
    if (this.#isScalar(schema)) return this.#scalar(schema);
    const { $ref, anyOf, oneOf, discriminator, properties, items, ...rest } = schema;
    const refuse = (what: string) => new ScriptError([`${what}: ${JSON.stringify(schema)}`]);
    if ([anyOf, oneOf, items, $ref ?? properties].filter(Boolean).length > 1) {
      throw refuse("a schema can have only one of $ref or properties, items, anyOf, oneOf");
    }
    const missing = rest.required?.find((name) => properties?.[name] === undefined);
    if (missing) throw refuse(`"${missing}" is required but is not a property`);
    const keywords = keywordsOf(rest);
    if (anyOf) {
      const [part, other, ...more] = anyOf;
      const isNullable = part?.$ref && other?.type === "null" && more.length === 0;
      const { use } = isNullable ? this.#member(part) : {};
      if (!use) throw refuse("anyOf must be an object or null");
      return { ...keywords, type: ["object", "null"], useObject: use };
    }
    if (oneOf) {
      if (!discriminator?.mapping) throw refuse("oneOf needs a discriminator");
      const { propertyName: property, mapping } = discriminator;
      const of = Object.entries(mapping).map(([tag, to]) => [tag, this.use(schemaName(to))]);
      return { ...keywords, type: "object", variants: { property, of: Object.fromEntries(of) } };
    }
    if (items) return { ...keywords, items: this.#item(items) };
    const members = Object.entries(properties ?? {}).map(([name, member]) => [
      name,
      this.#member(member),
    ]);
    const use = $ref === undefined ? {} : { use: this.use(schemaName($ref)) };
    return { ...keywords, ...use, properties: Object.fromEntries(members) };
  }

  /** Items have a separate validator, which limits the errors of a long array. */
  #item(schema: Schema): ValidatorSchema {
    const item = this.#member(schema);
    if (item.use || Object.keys(item).length === 0) return item;
    return { use: { ...this.#unnamedUse(schema), ...item.requirements } };
  }

  #isScalar({ $ref, properties, items, anyOf, oneOf }: Schema): boolean {
    if (properties ?? items ?? anyOf ?? oneOf) return false;
    return $ref === undefined || this.#isScalar(this.#schemas[schemaName($ref)] ?? {});
  }

  #scalar({ $ref, ...own }: Schema): ValidatorSchema {
    const keywords = keywordsOf(own);
    if ($ref === undefined) return keywords;
    const target = this.#scalar(this.#schemas[schemaName($ref)] ?? {});
    const twice = Object.keys(keywords).find((keyword) => keyword in target);
    if (twice)
      throw new ScriptError([`${$ref} and the schema that refers to it both have a ${twice}`]);
    return { ...target, ...keywords };
  }

  #closestOf(schema: Schema): string | undefined {
    const $ref = schema.$ref ?? schema.anyOf?.find((part) => part.$ref)?.$ref;
    const deeper = $ref && this.#closestOf(this.#schemas[schemaName($ref)] ?? {});
    return deeper ?? schema["x-requirements"]?.[0];
  }
}

/** AJV's own keywords of a schema, and its open set. */
function keywordsOf(schema: Omit<Schema, "properties" | "items">): ValidatorSchema {
  const {
    "x-extensible-enum": shown,
    "x-extensible-pattern": form,
    "x-extensible-type": types,
    ...rest
  } = withoutWords(schema);
  const open: OpenSet = { ...(shown && { shown }), ...(form && { form }) };
  delete rest["x-requirements"];
  delete rest["x-leads-to"];
  delete rest["x-resource-id"];
  // Our formats check the same as the patterns and lengths next to them.
  if (rest.format && rest.format in formats) {
    delete rest.pattern;
    delete rest.maxLength;
  }
  // The enum already excludes values of another type.
  if (rest.enum) delete rest.type;
  const openType = types && [types].flat();
  return { ...rest, ...(openType && { openType }), ...((shown || form) && { open }) };
}

/** Removes descriptions and examples from a schema. */
function withoutWords<Any extends Schema>(schema: Any): Any {
  const isWord = (key: string) =>
    !key.startsWith("x-") && (ANNOTATIONS as readonly string[]).includes(key);
  const entries = Object.entries(schema).filter(([key]) => !isWord(key));
  return Object.fromEntries(entries) as Any;
}
