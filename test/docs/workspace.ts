import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ROOT } from "../document.ts";
import { createProjects } from "../support/installed-package.ts";
import { type Block, blocksOf, guides } from "./pages.ts";

/** A block that is a file: of TypeScript, of JavaScript, or of JSON with a name. */
export interface Snippet extends Block {
  readonly page: string;
  readonly file: string;
}

/** Returns the snippets of all pages. */
export function allSnippets(): Snippet[] {
  return guides.flatMap((page) =>
    blocksOf(page)
      .filter(({ language, file }) => ["ts", "js"].includes(language) || file !== undefined)
      .map((block) => ({
        ...{ ...block, page },
        file: block.file ?? `line-${block.line}.${block.language}`,
      })),
  );
}

/** Returns the name of a page's folder. */
export const nameOf = (page: string): string => basename(page, ".md");

/** Writes the snippets of each page to a folder of the page, a project that uses the package. */
export async function writeSnippets(dir: string): Promise<void> {
  await createProjects(dir, guides.map(nameOf));
  for (const { page, file, code } of allSnippets()) {
    await writeFile(join(dir, nameOf(page), file), code);
  }
}

/**
 * Writes `node`, `npx` and `npm`, which run the programs of the checkout.
 *
 * @returns the environment that finds them first
 */
export async function writePrograms(dir: string): Promise<{ PATH: string }> {
  const node = `exec "${process.execPath}"`;
  const txfeed = `${node} "${join(ROOT, "bin/txfeed.ts")}" "$@"`;
  const programs = {
    node: `${node} "$@"`,
    npx: `name=$1; shift
case $name in
  txfeed) ${txfeed} ;;
  node) ${node} "$@" ;;
  *) ${node} "${join(ROOT, "node_modules/.bin")}/$name" "$@" ;;
esac`,
    npm: `case "$*" in
  ci) ;;
  "run -s txfeed -- "*) shift 4; ${txfeed} ;;
  *) cd "${ROOT}" && ${node} "${process.env["npm_execpath"]}" "$@" ;;
esac`,
  };
  await mkdir(dir);
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(dir, name), 0o755);
  }
  return { PATH: `${dir}:${process.env["PATH"]}` };
}
