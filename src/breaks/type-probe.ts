import ts from "typescript";
import type { Document } from "./document.ts";
import { documentTypes } from "./document-types.ts";

/** Two types to compare: what code that uses them sees at one place of each document. */
export interface TypePair {
  /** A type in the module `$` of the old or the new types. */
  readonly old: string;
  readonly new: string;
}

/** The effect of a changed type on code that compiles with the old type. */
export type TypeEffect =
  | { readonly kind: "same" | "compatible" }
  | { readonly kind: "breaking"; readonly code: string; readonly error: string };

/** Helpers that lead from a type to that of a part of it, through unions and optional members. */
const HELPERS = [
  "type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;",
  "type Item<T> = T extends readonly (infer Each)[] ? Each : never;",
  "type Variant<T, K extends string, V> = T extends { [Key in K]?: V } ? T : never;",
  "type Only<T, K> = T extends object ? Pick<T, Extract<K, keyof T>> : never;",
  "type Same<A, B> =",
  "  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;",
];

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  noLib: false,
  lib: ["lib.es5.d.ts"],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  types: [],
  skipLibCheck: true,
};

const LINES_PER_PAIR = 5;

/** Compares pairs of types, by compiling code that uses them with the types of both documents. */
export async function compareTypes(
  oldDocument: Document,
  newDocument: Document,
  pairs: readonly TypePair[],
): Promise<readonly TypeEffect[]> {
  if (pairs.length === 0) return [];
  const [before, after] = await Promise.all([typesOf(oldDocument), typesOf(newDocument)]);
  if (before === after) return pairs.map(() => ({ kind: "same" }));
  const lines = pairs.flatMap((pair, nr) => [
    `type Old${nr} = ${pair.old.replaceAll("$.", "Old.")};`,
    `type New${nr} = ${pair.new.replaceAll("$.", "New.")};`,
    `export const read${nr} = (value: New${nr}): Old${nr} => value;`,
    `export const build${nr} = (value: Old${nr}): New${nr} => value;`,
    `export const same${nr}: Same<Old${nr}, New${nr}> = true;`,
  ]);
  const head = ['import type * as Old from "./old";', 'import type * as New from "./new";'];
  const probe = [...head, ...HELPERS, ...lines].join("\n");
  const errors = errorsByLine({ "/old.ts": before, "/new.ts": after, "/probe.ts": probe });
  const first = head.length + HELPERS.length;
  return pairs.map((_pair, nr) => {
    const [oldType, newType, read, build, same] = Array.from({ length: LINES_PER_PAIR }, (_, at) =>
      errors.get(first + nr * LINES_PER_PAIR + at),
    );
    // If the old types do not have the place, no code uses it.
    if (oldType !== undefined) return { kind: "compatible" };
    if (newType !== undefined) return { kind: "breaking", code: "reads the value", error: newType };
    if (read !== undefined) return { kind: "breaking", code: "reads the value", error: read };
    if (build !== undefined) return { kind: "breaking", code: "builds the value", error: build };
    return { kind: same === undefined ? "same" : "compatible" };
  });
}

/** The target of a link is compared as a member, so that two documents can name the same. */
const LINK_TO = "export interface LinkTo<Path> { href: string; readonly leadsTo?: Path }";

const rendered = new WeakMap<Document, Promise<string>>();

function typesOf(document: Document): Promise<string> {
  const known = rendered.get(document) ?? documentTypes(document).then((types) => types + LINK_TO);
  rendered.set(document, known);
  return known;
}

/** The types of a missing property are those of the whole object: they say nothing more. */
function truncate(text: string): string {
  const plain = text.replace(/^(Property '[^']*' is missing) in type .*/s, "$1");
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}…` : plain;
}

const MAX_TEXT = 200;

const parsed = new Map<string, ts.SourceFile>();

/** The first error of each line of `/probe.ts`. */
function errorsByLine(files: Readonly<Record<string, string>>): Map<number, string> {
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, version) => {
    const text = files[name];
    if (text !== undefined) return ts.createSourceFile(name, text, version);
    const known = parsed.get(name) ?? getSourceFile(name, version);
    if (known) parsed.set(name, known);
    return known;
  };
  host.fileExists = (name) => name in files || fileExists(name);
  host.readFile = (name) => files[name] ?? readFile(name);
  const program = ts.createProgram(["/probe.ts"], OPTIONS, host);
  const source = program.getSourceFile("/probe.ts");
  const errors = new Map<number, string>();
  for (const { start, messageText } of program.getSemanticDiagnostics(source)) {
    const { line = 0 } = source?.getLineAndCharacterOfPosition(start ?? 0) ?? {};
    if (errors.has(line)) continue;
    const [text = ""] = ts.flattenDiagnosticMessageText(messageText, "\n").split("\n").slice(-1);
    errors.set(line, truncate(text.trim()));
  }
  return errors;
}
