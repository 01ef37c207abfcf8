import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { ROOT, readDocument } from "../document.ts";

/** A regular expression and its location. */
export interface Source {
  readonly where: string;
  readonly pattern: RegExp;
}

/** The regular expressions in the code. */
export interface SourceCode {
  readonly literals: readonly Source[];
  /** The files that build a regular expression from a string. */
  readonly builders: readonly string[];
}

/** Reads every file that may apply a regular expression to untrusted text. */
export function readSourceCode(): SourceCode {
  const files = globSync(["src/**/*.{ts,js}", "conformance/**/*.{ts,js}"], { cwd: ROOT }).sort();
  const literals: Source[] = [];
  const builders = new Set<string>();
  for (const file of files) {
    const text = readFileSync(`${ROOT}${file}`, "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        literals.push({ where: `${file}:${line + 1}`, pattern: patternOf(node.text) });
      }
      if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
        if (node.expression.getText() === "RegExp") builders.add(file);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, builders: [...builders] };
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** The patterns of the generated document, with the flag of a validator. */
export function readDocumentPatterns(): Source[] {
  const found: Source[] = [];
  const visit = (value: unknown, where: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const isPattern = key === "pattern" || key === "x-extensible-pattern";
      if (isPattern && typeof child === "string") {
        found.push({ where, pattern: new RegExp(child, "u") });
      } else visit(child, `${where}/${key}`);
    }
  };
  visit(readDocument().components, "generated/openapi.json");
  return found;
}

/** Each distinct regular expression with its first location. */
export function distinct(sources: readonly Source[]): Source[] {
  return [...new Map(sources.toReversed().map((one) => [String(one.pattern), one])).values()];
}
