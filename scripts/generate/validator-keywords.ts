import { _, type Ajv, type Code, type KeywordCxt, Name } from "ajv";
import { getProperty, or, stringify } from "ajv/dist/compile/codegen/index.js";
import { usePattern } from "ajv/dist/vocabularies/code.js";
import { ScriptError } from "../run-script.ts";
import type { OpenSet, Requirements, Use, ValidatorSchema } from "./validator-schemas.ts";

/** AJV's variables for the errors and their number in each compiled function. */
const vErrors = new Name("vErrors");
const errors = new Name("errors");

/** Errors have no messages, but AJV's type requires one. */
const message = "";

/**
 * Adds the keywords of `ValidatorSchema` to AJV. They require `allErrors`. The generated code calls
 * the functions of `src/contract/shape-errors.ts`.
 */
export function addKeywords(ajv: Ajv): void {
  // Replaces AJV's $ref, which copies all errors at each level and passes five arguments.
  const call = ({ gen, data, it }: KeywordCxt, { name, closest, own }: Use) => {
    const validate = gen.scopeValue("validate", { ref: ajv.getSchema(name) });
    gen.if(_`!${validate}(${data})`, () => {
      const found = _`${validate}.errors, ${it.errorPath}, ${vErrors}${idsOf({ closest, own })}`;
      gen.assign(vErrors, _`below(${found})`);
      gen.assign(errors, _`${vErrors}.length`);
    });
  };
  const use = { schemaType: "object", code: (cxt: KeywordCxt) => call(cxt, cxt.schema) } as const;
  ajv.addKeyword({ keyword: "use", ...use });
  ajv.addKeyword({ keyword: "useObject", type: "object", ...use });

  ajv.addKeyword({
    keyword: "variants",
    type: "object",
    schemaType: "object",
    error: { message, params: ({ schema: { of } }) => _`{values: ${stringify(Object.keys(of))}}` },
    code(cxt) {
      const { property, of } = cxt.schema as Required<ValidatorSchema>["variants"];
      const tag = cxt.gen.const("tag", _`${cxt.data}${getProperty(property)}`);
      // AJV accepts the name of a property here, although its type does not.
      const at = { instancePath: property as unknown as Code };
      const choose = ([variant, ...others]: [string, Use][]) => {
        if (!variant) return cxt.error(false, undefined, at);
        cxt.gen.if(
          _`${tag} === ${variant[0]}`,
          () => call(cxt, variant[1]),
          () => choose(others),
        );
      };
      choose(Object.entries(of));
    },
  });

  // AJV's own keywords read each required property twice and retain whole schemas.
  ajv.removeKeyword("properties").removeKeyword("required");
  ajv.addVocabulary(["required", "requirements"]);
  ajv.addKeyword({
    keyword: "properties",
    type: "object",
    schemaType: "object",
    code(cxt) {
      const { gen, data, parentSchema } = cxt;
      const properties = Object.entries(cxt.schema as Record<string, ValidatorSchema>);
      for (const [name, { requirements, ...schema }] of properties) {
        const member = _`${data}${getProperty(name)}`;
        const isFree = Object.keys(schema).length === 0;
        const check = () => checkMember(cxt, name, schema, requirements);
        if (!parentSchema["required"]?.includes(name)) {
          if (!isFree) gen.if(_`${member} !== undefined`, check);
          continue;
        }
        const report = () => {
          const ids = idsOf(requirements ?? schema.use ?? {});
          gen.assign(vErrors, _`missing(${`/${name}`}, ${vErrors}${ids})`);
          gen.code(_`${errors}++`);
        };
        gen.if(_`${member} === undefined`, report, isFree ? undefined : check);
      }
    },
  });

  ajv.addKeyword({
    keyword: "open",
    type: "string",
    schemaType: "object",
    error: { message, params: ({ schema }) => _`${stringify(schema)}` },
    code(cxt) {
      const { shown, form } = cxt.schema as OpenSet;
      const isShown = shown
        ? or(...shown.map((value) => _`${cxt.data} === ${CODES[value] ?? value}`))
        : _`${usePattern(cxt, form ?? "")}.test(${cxt.data})`;
      cxt.fail(_`!(${isShown}) && deviates()`);
    },
  });
  ajv.addKeyword({
    keyword: "openType",
    schemaType: "array",
    error: { message, params: ({ schema }) => _`{types: ${stringify(schema)}}` },
    code(cxt) {
      const isShown = (cxt.schema as string[]).map((type) => {
        const test = TYPES[type];
        if (!test) throw new ScriptError([`x-extensible-type: unknown type "${type}"`]);
        return _`(${test(cxt.data)})`;
      });
      cxt.fail(_`!(${or(...isShown)}) && deviates()`);
    },
  });
}

/** Checks a property by its own schema, so that AJV does not retain the schema of the object. */
function checkMember(
  cxt: KeywordCxt,
  name: string,
  schema: ValidatorSchema,
  requirements: Requirements | undefined,
): void {
  const { gen } = cxt;
  const topSchemaRef = gen.scopeValue("schema", { ref: schema, code: stringify(schema) });
  const start = requirements && gen.const("start", errors);
  cxt.subschema(
    { schema, schemaPath: _``, topSchemaRef, errSchemaPath: "", dataProp: name },
    gen.name("valid"),
  );
  if (!start || !requirements) return;
  const attach = _`attach(${vErrors}, ${start}${idsOf(requirements)})`;
  gen.if(_`${errors} > ${start}`, () => gen.code(attach));
}

/** The last arguments of a call that adds errors. Undefined ids are omitted. */
function idsOf({ closest, own }: Requirements): Code {
  if (own !== undefined) return _`, ${closest ?? null}, ${own}`;
  return closest === undefined ? _`` : _`, ${closest}`;
}

/** The configured network codes, by their placeholders in the contract. */
const CODES: Record<string, Code> = {
  NETWORK_A: _`codes.a`,
  NETWORK_B: _`codes.b`,
  NETWORK_C: _`codes.c`,
};

const TYPES: Record<string, (data: Code) => Code> = {
  string: (data) => _`typeof ${data} == "string"`,
  number: (data) => _`typeof ${data} == "number"`,
  boolean: (data) => _`typeof ${data} == "boolean"`,
  null: (data) => _`${data} === null`,
  array: (data) => _`Array.isArray(${data})`,
  object: (data) => _`typeof ${data} == "object" && ${data} !== null && !Array.isArray(${data})`,
};
