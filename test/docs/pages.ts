import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../document.ts";

/** The README and the guides, as paths in the checkout. */
export const guides: readonly string[] = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** A fenced block of a page. */
export interface Block {
  /** The line of its fence. */
  readonly line: number;
  readonly language: string;
  /** The text after `file=` in the fence. */
  readonly file: string | undefined;
  readonly code: string;
  /** The `text` block that follows it, with nothing between them. */
  readonly output: string | undefined;
}

/** Returns the text of a page. */
export const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** Returns the fenced blocks of a page, without those that are the output of another block. */
export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  const fenced = /^```(\w*)(?: file=(\S+))?\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm;
  return [...text.matchAll(fenced)].map(
    ({ index, 1: language = "", 2: file, 3: code = "", 4: output }) => ({
      line: text.slice(0, index).split("\n").length,
      ...{ language, file, code, output },
    }),
  );
}
