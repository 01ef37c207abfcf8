import { UsageError } from "../errors.ts";
import { suggestion } from "../nearest.ts";
import type { VerbDescription } from "../sandbox/control/client.ts";
import { wrapped } from "../text.ts";
import { type Flag, usageError } from "./command.ts";
import { renderHelp } from "./help.ts";

/** The members of a JSON Schema that decide how an argument is parsed. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
}

/** Names for the types of JSON Schema. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "integer",
  boolean: "true or false",
  array: "JSON list",
};

type Members = { [name: string]: unknown };

/**
 * Parses arguments such as `amount=12.5` or `merchant.mcc=5411`: as text if the verb takes a text
 * there, as JSON otherwise. The sandbox validates the result.
 *
 * @throws {TxfeedError} `usage` if an argument is malformed or repeated.
 */
export function paramsIn(verb: VerbDescription, words: readonly string[]): Members {
  const params: Members = {};
  for (const word of words) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    const path = name.split(".");
    if (path.includes("") || path.includes("__proto__")) {
      throw usageError({ name: "trigger" }, `arguments must be NAME=VALUE, not "${word}"`);
    }
    put(params, path, read(value, typesAt(verb.params, path)), word);
    refuseMisspelt(verb, name);
  }
  return params;
}

/** Suggests the nearest argument. Without one, the sandbox reports the unknown argument. */
function refuseMisspelt(verb: VerbDescription, given: string): void {
  const names = membersOf(verb.params).map(({ name }) => name);
  if (names.some((name) => name === given || name.startsWith(`${given}.`))) return;
  const advice = suggestion(given, names, "");
  if (advice === "") return;
  const where = `txfeed trigger ${verb.name} --list`;
  throw new UsageError(`${verb.name}: ${given}: unknown parameter; ${advice} (see: ${where})`);
}

function put(members: Members, [name = "", ...rest]: string[], value: unknown, word: string): void {
  const isPresent = Object.hasOwn(members, name);
  const inner = isPresent ? members[name] : {};
  if (rest.length === 0 ? isPresent : Object(inner) !== inner) {
    throw usageError({ name: "trigger" }, `"${word}" repeats an argument`);
  }
  members[name] = rest.length === 0 ? value : inner;
  if (rest.length > 0) put(inner as Members, rest, value, word);
}

/** The types of the member at a path; none if the verb has no such member. */
function typesAt(schema: Schema, path: readonly string[]): readonly string[] {
  let at: Schema | undefined = schema;
  for (const name of path) at = at?.properties?.[name];
  return typesOf(at ?? {});
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return [type].flat();
}

function read(value: string, types: readonly string[]): unknown {
  if (types.includes("string")) return value === "null" && types.includes("null") ? null : value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

type Dim = (text: string) => string;

/** The width of the narrowest terminal. */
const COLUMNS = 80;

/** Renders all verbs with the names of their members. */
export function renderVerbs(verbs: readonly VerbDescription[], dim: Dim): string {
  const width = Math.max(0, ...verbs.map(({ name }) => name.length)) + 2;
  const rows = verbs.flatMap(({ name, summary, params }) => {
    const names = membersOf(params).map((member) => member.name);
    const [first = "", ...rest] = wrapped(summary, COLUMNS - 2 - width);
    const members = names.length > 0 ? wrapped(names.join(" "), COLUMNS - 2 - width) : [];
    const inner = [...rest, ...members.map(dim)].map((line) => `  ${" ".repeat(width)}${line}`);
    return [`  ${name.padEnd(width)}${first}`, ...inner];
  });
  return [
    ...rows,
    "",
    "Run txfeed trigger VERB --help to describe a verb,",
    "txfeed trigger VERB [NAME=VALUE...] to run it.",
  ].join("\n");
}

/** Renders a verb with a line per member. */
export function renderVerb(verb: VerbDescription, dim: Dim): string {
  const { name, summary, requirements, params } = verb;
  const members = membersOf(params);
  const width = Math.max(0, ...members.map((member) => member.name.length)) + 2;
  const rows = members.map((member) => `  ${member.name.padEnd(width)}${dim(member.takes)}`);
  const ids = requirements.length > 0 ? [`  ${dim(requirements.join(" "))}`] : [];
  const last = `Run txfeed trigger ${name} [NAME=VALUE...] to run it.`;
  return [`${name}: ${summary}`, ...ids, "", ...rows, "", last].join("\n");
}

/** Renders the help of a verb. */
export function renderVerbHelp(
  verb: VerbDescription,
  flags: Readonly<Record<string, Flag>>,
): string {
  const { name, summary, params } = verb;
  const members = membersOf(params);
  const call = `txfeed trigger ${name}`;
  const [example = {}] = params["examples"] as readonly object[];
  const [given, words] = [Object.keys(example), wordsOf(example)];
  return renderHelp(
    {
      ...{ name, summary, flags, positionals: ["[NAME=VALUE...]"] },
      arguments: members.map((one) => [one.name, one.takes]),
      examples: [
        ...(members.some((one) => one.isRequired)
          ? []
          : [{ command: call, does: "run it with the defaults" }]),
        ...(words.length > 0
          ? [{ command: [call, ...words].join(" "), does: `set ${given.join(" and ")}` }]
          : []),
      ],
    },
    call,
  );
}

/** The arguments for some parameters. */
function wordsOf(params: object, within = ""): string[] {
  return Object.entries(params).flatMap(([name, value]) => {
    if (Object(value) === value && !Array.isArray(value))
      return wordsOf(value, `${within}${name}.`);
    const word = `${within}${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
    return /^[\w.=-]+$/.test(word) ? word : `'${word}'`;
  });
}

/** An argument of a verb. */
interface Member {
  readonly name: string;
  /** Its possible values. */
  readonly takes: string;
  readonly isRequired: boolean;
}

/** The members that a verb takes: the name of each argument and its possible values. */
function membersOf({ properties = {}, required = [] }: Schema, within = ""): Member[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.properties) return membersOf(schema, `${within}${name}.`);
    const isRequired = required.includes(name);
    const takes = isRequired ? `${valuesOf(schema)}, required` : valuesOf(schema);
    return [{ name: within + name, takes, isRequired }];
  });
}

function valuesOf(schema: Schema): string {
  const { enum: words, pattern, exclusiveMinimum: above } = schema;
  if (words) return words.join(" or ");
  const inner = schema.items?.properties;
  if (inner) return `JSON list of {${Object.keys(inner).join(", ")}}`;
  const types = typesOf(schema).map((type) => TYPE_NAMES[type] ?? type);
  const bounds = [pattern && `matching ${pattern}`, above !== undefined && `above ${above}`];
  return [types.join(" or "), ...bounds].filter(Boolean).join(" ");
}
