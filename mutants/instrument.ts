import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { keysOf, type Place } from "./keys.ts";

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
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  const mutants = [...Map.groupBy(result.mutants, ({ fileName }) => fileName)].flatMap(
    ([name, found]) => {
      const file = name.slice(0, -".js".length);
      const places = found.map(({ location, mutatorName, replacement }): Place => {
        return { ...location, mutatorName, replacement };
      });
      const keys = keysOf(file, sources.get(file) ?? "", places);
      return found.map(({ id, location }, at): Mutant => {
        return { id, key: keys[at] ?? "", file, line: location.start.line + 1 };
      });
    },
  );
  return { mutants, code: new Map(result.files.map(({ name, content }) => [name, content])) };
}
