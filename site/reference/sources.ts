import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A line of a source file. */
export interface SourceLine {
  /** The path from the root of the repository. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** The lines of the TypeScript files that match a glob pattern, read once. */
export function sourceLines(pattern: string): readonly SourceLine[] {
  const known = read.get(pattern);
  if (known) return known;
  const lines = globSync(pattern, { cwd: ROOT })
    .sort()
    .flatMap((file) =>
      readFileSync(`${ROOT}/${file}`, "utf8")
        .split("\n")
        .map((text, index) => ({ file: file.replaceAll("\\", "/"), line: index + 1, text })),
    );
  read.set(pattern, lines);
  return lines;
}

const read = new Map<string, readonly SourceLine[]>();
