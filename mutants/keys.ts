import { createHash } from "node:crypto";
import ts from "typescript";

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
