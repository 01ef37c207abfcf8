import { parse as parseYaml } from "yaml";
import { segmentsOf, valueAt } from "../contract/pointer.ts";
import { reasonOf, UsageError } from "../errors.ts";
import { shortened } from "../text.ts";
import { type Document, decoded, isJson, memberPointer, referenced } from "./document.ts";
import { findFile, type Source } from "./source.ts";

const MAX_TOTAL_MIB = 64;
const MAX_ALIASES = 100;
const MAX_DEPTH = 200;
const MAX_VALUES = 500_000;

/** The meaning of an object's keys: keywords, names that the document chooses, or data. */
type Kind = "keywords" | "names" | "data";

const NAMES = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
  ...["schemas", "responses", "parameters", "examples", "requestBodies", "headers", "callbacks"],
  ...["securitySchemes", "links", "pathItems", "paths", "webhooks", "content", "encoding"],
]);
const DATA = new Set(["const", "enum", "default", "example", "value"]);

/** The name of a `$ref` that is data, so that no library resolves it. */
export const REF_IN_DATA = "\0$ref";

/** A value of a file, and its place in the loaded document. */
interface Part {
  readonly file: string;
  readonly pointer: string;
  readonly place: string;
  readonly kind: Kind;
}

/** A `$ref` to or in another file. */
interface Reference extends Part {
  readonly holder: Record<string, unknown>;
  readonly $ref: string;
}

/** Loads a document, and replaces references to other files. An error says only the reason. */
export class Loader {
  readonly #source: Source;
  readonly #files = new Map<string, unknown>();
  /** References, and those with members beside the `$ref`. */
  readonly #references = { plain: [] as Reference[], extended: [] as Reference[] };
  readonly #places = new Map<string, string>();
  #length = 0;
  #values = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  async load(): Promise<unknown> {
    const { document: file } = this.#source;
    const root = { file, pointer: "", place: "", kind: "keywords" } as const;
    const document = this.#copy(await this.#read(file), root, 0);
    const { plain, extended } = this.#references;
    const take = () => plain.pop() ?? extended.pop();
    for (let next = take(); next; next = take()) {
      const where = `"${shortened(next.$ref, 100)}" at ${this.#named(next)}/$ref`;
      await this.#replace(next).catch((error) => {
        throw new UsageError(`the reference ${where} is refused: ${reasonOf(error)}`);
      });
    }
    return document;
  }

  /** Replaces a reference by its target, or by a reference to the place that has it already. */
  async #replace({ holder, $ref, file: from, place, kind }: Reference): Promise<void> {
    const [path = "", fragment = ""] = $ref.split(/#(.*)/s);
    const file = path === "" ? from : await findFile(this.#source, from, path);
    const pointer = decoded(fragment);
    const target = valueAt(await this.#read(file), segmentsOf(pointer));
    if (!isJson(target)) throw new UsageError("it does not lead to an object");
    const key = JSON.stringify([file, pointer, kind]);
    const known = file === this.#source.document ? pointer : this.#places.get(key);
    if (known !== undefined) {
      holder.$ref = `#${encodeURI(known)}`;
      return;
    }
    this.#places.set(key, place);
    const { $ref: _, ...own } = holder;
    delete holder.$ref;
    this.#fill(holder, target, { file, pointer, place, kind }, 0);
    Object.assign(holder, own);
  }

  async #read(file: string): Promise<unknown> {
    if (this.#files.has(file)) return this.#files.get(file);
    const text = await this.#source.read(file);
    this.#length += text.length;
    if (this.#length > MAX_TOTAL_MIB * 1024 * 1024) {
      throw new UsageError(`all files together are larger than ${MAX_TOTAL_MIB} MiB`);
    }
    const content = parsed(file, text);
    this.#files.set(file, content);
    return content;
  }

  /** Copies a value, and lists its references. Aliases of YAML become copies. */
  #copy(value: unknown, part: Part, depth: number): unknown {
    this.#values += weightOf(value);
    refuseOver(() => this.#named(part), depth, this.#values);
    if (Array.isArray(value)) {
      return value.map((one, at) => this.#copy(one, memberOf(part, String(at), one), depth + 1));
    }
    return isJson(value) ? this.#fill({}, value, part, depth) : value;
  }

  #fill(holder: Reference["holder"], value: object, part: Part, depth: number): unknown {
    for (const [key, child] of Object.entries(value)) {
      const name = part.kind === "data" && key === "$ref" ? REF_IN_DATA : key;
      const copy = this.#copy(child, memberOf(part, key, child), depth + 1);
      Object.defineProperty(holder, name, { ...MEMBER, value: copy });
    }
    const { $ref } = holder;
    const isOwn = part.file === this.#source.document && /^(#|$)/.test(String($ref));
    if (typeof $ref !== "string" || isOwn) return holder;
    const { plain, extended } = this.#references;
    (Object.keys(value).length > 1 ? extended : plain).push({ ...part, holder, $ref });
    return holder;
  }

  #named({ file, pointer }: Part): string {
    return shortened(file === this.#source.document ? pointer : `${file}#${pointer}`, 200);
  }
}

/** Defined this way, `__proto__` is a member like others. */
const MEMBER = { enumerable: true, configurable: true, writable: true };

function memberOf({ file, pointer, place, kind }: Part, key: string, value: unknown): Part {
  const at = { file, pointer: memberPointer(pointer, key), place: memberPointer(place, key) };
  // The examples of a schema are a list of values. Other examples have names.
  const isData = DATA.has(key) || (key === "examples" && Array.isArray(value));
  if (kind === "names") return { ...at, kind: "keywords" };
  return { ...at, kind: kind === "data" || isData ? "data" : NAMES.has(key) ? "names" : kind };
}

/** The content of a file. An error does not quote it. */
function parsed(file: string, text: string): unknown {
  const isJsonFile = /\.json$/i.test(file);
  try {
    if (isJsonFile) return JSON.parse(text.replace(/^\ufeff/, ""));
    const quiet = { prettyErrors: false, logLevel: "error" } as const;
    return parseYaml(text, { maxAliasCount: MAX_ALIASES, ...quiet });
  } catch (error) {
    if (!reasonOf(error).startsWith("Excessive alias count")) {
      throw new UsageError(`it is not valid ${isJsonFile ? "JSON" : "YAML"}`);
    }
    throw new UsageError(`its aliases expand to more than ${MAX_ALIASES} copies of a value`);
  }
}

/** A long text counts as several values. */
function weightOf(value: unknown): number {
  return typeof value === "string" ? 1 + Math.floor(value.length / 256) : 1;
}

function refuseOver(place: () => string, depth: number, values: number): void {
  if (depth <= MAX_DEPTH && values <= MAX_VALUES) return;
  const limit = depth > MAX_DEPTH ? `${MAX_DEPTH} levels` : `${MAX_VALUES} values`;
  throw new UsageError(`it has more than ${limit}, the last at ${place()}`);
}

/** Refuses a document that is too large with each reference replaced by its target. */
export function refuseExpansion(document: Document): void {
  const sizes = new Map<unknown, number>();
  const sizeOf = (value: unknown, pointer: string, depth: number): number => {
    if (typeof value !== "object" || value === null) return weightOf(value);
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // A recursive reference counts once.
    sizes.set(value, 1);
    const target = isJson(value) ? referenced(document, value.$ref) : undefined;
    let size = target ? sizeOf(target.value, target.pointer, depth + 1) : 1;
    for (const [key, child] of Object.entries(value)) {
      size += sizeOf(child, memberPointer(pointer, key), depth + 1);
    }
    refuseOver(() => `${shortened(pointer, 200)}, with references replaced`, depth, size);
    sizes.set(value, size);
    return size;
  };
  sizeOf(document, "", 0);
}
