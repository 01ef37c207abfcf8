import { ScriptError } from "../program.ts";

/**
 * What the lean validators share. A validator adds to `faults` and tells whether it had nothing to
 * add; `from` is where its own start. Paths are put together on the way back, only where there is a
 * fault. The list is kept in bounds: nobody reads the thousandth fault of one payload.
 */
const SHARED = `
const MOST_FAULTS = 1000;
let faults, from;
function fault(instancePath, keyword, params) {
  from = faults.length;
  if (from < MOST_FAULTS) faults.push({ keyword, instancePath, params });
  return false;
}
function end(start) {
  from = start;
  return start === faults.length;
}
function below(path) {
  for (let i = from; i < faults.length; i++) faults[i].instancePath = path + faults[i].instancePath;
}
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
function member(validate, value, name) {
  if (value !== undefined && !validate(value)) below("/" + name);
}
function required(validate, value, name) {
  if (value === undefined) fault("", "required", { missingProperty: name });
  else if (!validate(value)) below("/" + name);
}
function validator(validate) {
  const told = (payload) => {
    faults = [];
    const holds = validate(payload);
    told.errors = holds ? null : faults;
    return holds;
  };
  return told;
}
`;

const PATH = String.raw`instancePath(?::instancePath\+([^,\n]*))?`;

/** Each thing that AJV writes over and over, and what it comes down to. */
const REWRITES: [RegExp, (...groups: string[]) => string][] = [
  // A fault. Where in the schema its keyword stands is never asked.
  [
    new RegExp(
      String.raw`const (err\d+) = \{${PATH},schemaPath:"[^"]*",keyword:("\w+"),params:(\{.*\})\};
if\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;`,
      "g",
    ),
    (_all, _name, path = '""', keyword, params) => `fault(${path}, ${keyword}, ${params});`,
  ],
  // A validator that asks another.
  [
    new RegExp(
      String.raw`if\(!\((validate\d+)\((\S+), \{${PATH},.*\}\)\)\)\{
vErrors = .*;\nerrors = vErrors\.length;\n\}`,
      "g",
    ),
    (_all, name, value, path) =>
      path ? `if (!${name}(${value})) below(${path});` : `${name}(${value});`,
  ],
  [
    /(function validate\d+\(data), .*\nlet vErrors = null;\nlet errors = 0;/g,
    (_all, head) => `${head}) {\nconst start = faults.length;`,
  ],
  [/validate\d+\.errors = vErrors;\nreturn errors === 0;/g, () => "return end(start);"],
  [
    /export const (\w+) = (validate\d+);/g,
    (_all, name, inner) => `const ${name} = validator(${inner});`,
  ],
];

const MISSING = /if\((data\S+) === undefined\)\{\nfault\("", "required", [^\n]*\);\n\}\n/g;
const MEMBER =
  /if\((data\S+) !== undefined\)\{\nif \(!(validate\d+)\(\1\)\) below\("\/([^"]*)"\);\n\}/g;

/** What looks at a value alone, and at nothing below it, is done with its first fault. */
function withEarlyEnd(validator: string): string {
  const body = validator.slice(validator.indexOf("{"));
  if (/validate\d+|"required"|fault\("\//.test(body)) return validator;
  return validator
    .replace("const start = faults.length;\n", "")
    .replaceAll("fault(", "return fault(")
    .replace("return end(start);", "return true;");
}

/** Tells of each member of an object by one call, whether it is missing or wrong. */
function withMembers(body: string): string {
  const missing = new Set([...body.matchAll(MISSING)].map(([, member]) => member));
  const told = new Set<string>();
  const short = body.replace(MEMBER, (_all, member: string, validate: string, name: string) => {
    told.add(member);
    const how = missing.has(member) ? "required" : "member";
    return `${how}(${validate}, ${member}, ${JSON.stringify(name)});`;
  });
  return short.replace(MISSING, (all, member) => (told.has(member) ? "" : all));
}

/**
 * Takes from AJV's standalone code what our explanations never read: it becomes an eighth of the
 * size and twice as fast. Throws a ScriptError where something of AJV's way to tell is left, as it
 * may be after an upgrade of AJV.
 */
export function lean(source: string): string {
  const schemas = new Map(
    [...source.matchAll(/^const (schema\d+) = (.*);$/gm)].map(([, name = "", json = ""]) => [
      name,
      JSON.parse(json) as unknown,
    ]),
  );
  const code = REWRITES.reduce((text, [from, to]) => text.replace(from, to), source)
    .replaceAll(/(\w+) && typeof \1 == "object" && !Array\.isArray\(\1\)/g, "isObject($1)")
    .replace(/^function validate[\s\S]*?\nreturn end\(start\);/gm, (validator) =>
      withEarlyEnd(withMembers(validator)),
    )
    .replace(/^"use strict";|^const schema\d+ = .*$/gm, "")
    // What a fault says of a schema, such as the values of a closed set, is written out.
    .replace(/\b(schema\d+)((?:\.\w+|\["[^"]*"\]|\[\d+\])*)/g, (_all, name, path: string) => {
      const steps = [...path.matchAll(/\.(\w+)|\["([^"]*)"\]|\[(\d+)\]/g)];
      const value = steps.reduce<unknown>(
        (here, [, ...step]) => (here as Record<string, unknown>)[step.find(Boolean) ?? ""],
        schemas.get(name),
      );
      return JSON.stringify(value);
    });
  const [left] =
    /.*\b(?:vErrors|errors\b(?! =)|instancePath\+|schemaPath|undefined\)\.).*/.exec(code) ?? [];
  if (left) throw new ScriptError([`AJV's code has changed; lean.ts does not know: ${left}`]);
  return SHARED + code;
}
