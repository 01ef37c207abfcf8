import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { type BabelNode, type Ignorer, Instrumenter } from "@stryker-mutator/instrumenter";
import ts from "typescript";

/** A mutant of the sandbox. */
export interface Mutant {
  /** The number that activates it in the instrumented code. Other edits change it. */
  readonly id: string;
  /** Identifies it in files: path, function, mutator, original and replacement. */
  readonly key: string;
  /** A path in the repository. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface Instrumented {
  readonly mutants: readonly Mutant[];
  /** The code of each file, as JavaScript, in which every mutant can be activated. */
  readonly code: ReadonlyMap<string, string>;
}

/** A logger of Stryker. It reports nothing that a user of this tool needs. */
const silent = new Proxy({}, { get: () => () => false });

/** The schemas and descriptions of a verb: the control API's own. */
const declarations: Ignorer = {
  shouldIgnore({ node, parentPath }) {
    if (node.type === "CallExpression" && rootOf(node) === "z") return "a schema";
    if (node.type !== "ObjectProperty" || !/^(verb|subscriptionVerb)$/.test(calledBy(parentPath)))
      return undefined;
    return node.key?.name === "run" || node.key?.name === "change" ? undefined : "a description";
  },
};

/** The name that a chain of calls and members begins with, such as `z` of `z.int().min(0)`. */
function rootOf({ name, callee, object }: BabelNode): string | undefined {
  const inner = callee ?? object;
  return inner ? rootOf(inner) : name;
}

/** The function that an object is an argument of. */
const calledBy = (object: { readonly parent: BabelNode } | null) =>
  object?.parent.callee?.name ?? "";

/**
 * Adds every mutant to some files, to be switched at run time by `__stryker__.activeMutant`.
 *
 * @param files Paths in `root`.
 */
export async function instrument(root: string, files: readonly string[]): Promise<Instrumented> {
  const sources = new Map(files.map((name) => [name, readFileSync(join(root, name), "utf8")]));
  // Without types: Stryker skips what `as const` stands behind, such as the transition tables.
  // Positions stay the same.
  const result = await new Instrumenter(silent).instrument(
    [...sources].map(([name, content]) => {
      return { name: `${name}.js`, content: stripTypeScriptTypes(content), mutate: true };
    }),
    { plugins: null, excludedMutations: [], ignorers: [declarations] },
  );
  const used = result.mutants.filter(({ status }) => status !== "Ignored");
  const mutants = [...Map.groupBy(used, ({ fileName }) => fileName)].flatMap(([name, found]) => {
    const file = name.slice(0, -".js".length);
    const places = found.map(({ location, mutatorName, replacement }): Place => {
      return { ...location, mutatorName, replacement };
    });
    const keys = keysOf(file, sources.get(file) ?? "", places);
    return found.map(({ id, location }, at): Mutant => {
      return { id, key: keys[at] ?? "", file, line: location.start.line + 1 };
    });
  });
  return { mutants, code: new Map(result.files.map(({ name, content }) => [name, content])) };
}

/** A position in a file; line and column from 0. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a mutant is, and what it changes. */
export interface Place {
  readonly start: Position;
  readonly end: Position;
  readonly mutatorName: string;
  readonly replacement: string;
}

/** Longer texts are cut, and end with a digest of the whole. */
const LONGEST = 72;

/**
 * The keys of mutants of one file. They survive edits elsewhere in the file: instead of a line they
 * have the name of the function. Equal mutants of a function are numbered.
 */
export function keysOf(file: string, source: string, places: readonly Place[]): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const counts = new Map<string, number>();
  return places.map(({ start, end, mutatorName, replacement }) => {
    const [from, to] = [start, end].map(({ line, column }) =>
      tree.getPositionOfLineAndCharacter(line, column),
    );
    const original = shortened(source.slice(from, to));
    const name = functionAt(tree, from ?? 0);
    const key = `${file} ${name} ${mutatorName}: ${original} => ${shortened(replacement)}`;
    const nr = (counts.get(key) ?? 0) + 1;
    counts.set(key, nr);
    return nr === 1 ? key : `${key} #${nr}`;
  });
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  if (line.length <= LONGEST) return line;
  const digest = createHash("sha256").update(line).digest("hex").slice(0, 6);
  return `${line.slice(0, LONGEST)}… ${digest}`;
}

/** The named declarations around a position, such as `Clock.now`; `-` outside of them. */
function functionAt(tree: ts.SourceFile, position: number): string {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (position < node.getStart(tree) || position >= node.end) return;
    const name = declaredName(node);
    if (name !== undefined) names.push(name.getText(tree));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return names.join(".") || "-";
}

/** The name of a function, class or member, or of a constant outside of all functions. */
function declaredName(node: ts.Node): ts.Node | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name;
  if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) return node.name;
  if (ts.isPropertyDeclaration(node)) return node.name;
  const isTopLevel = node.parent?.parent?.parent?.kind === ts.SyntaxKind.SourceFile;
  return ts.isVariableDeclaration(node) && isTopLevel ? node.name : undefined;
}
