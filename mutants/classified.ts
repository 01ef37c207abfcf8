import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { MissedAs, Score } from "../mutation/score.ts";
import { ScriptError } from "../scripts/run-script.ts";

/** The classes, by keys, or by beginnings of keys, which end in `*`. */
export type Classified = ReadonlyMap<string, MissedAs>;

/** The class of a mutant: that of its own entry, or of the longest beginning of its key. */
export function classOf(classified: Classified, key: string): MissedAs | undefined {
  const own = classified.get(key);
  if (own) return own;
  const starts = [...classified.keys()].filter((entry) => isStartOf(entry, key));
  const [longest = ""] = starts.toSorted((one, other) => other.length - one.length);
  return classified.get(longest);
}

const isStartOf = (entry: string, key: string) =>
  entry.endsWith("*") && key.startsWith(entry.slice(0, -1));

/**
 * Reads `classified.yaml`.
 *
 * @throws {ScriptError} one line for each wrong entry
 */
export function readClassified(file: URL | string): Classified {
  const entries: unknown = parse(readFileSync(file, "utf8")) ?? [];
  const classified = new Map<string, MissedAs>();
  const wrong = (Array.isArray(entries) ? entries : [entries]).flatMap((entry, at) => {
    const { as, reading, why, mutants } = Object(entry);
    const keys: string[] = Array.isArray(mutants) ? mutants : [];
    const problem = !["open", "control", "gap"].includes(as)
      ? "as must be open, control or gap"
      : !(as === "open" ? reading : why)
        ? `${as === "open" ? "reading" : "why"} is missing`
        : keys.length === 0
          ? "mutants must be a list of keys"
          : keys.find((key) => classified.has(key));
    for (const key of keys) classified.set(key, as);
    return problem ? [`mutants: classified.yaml: entry ${at + 1}: ${problem}`] : [];
  });
  if (wrong.length > 0) throw new ScriptError(wrong);
  return classified;
}

/**
 * The entries that no longer apply, a line each.
 *
 * @param keys The keys of all mutants.
 * @param scores The scores of this run.
 */
export function staleEntries(
  classified: Classified,
  keys: ReadonlySet<string>,
  scores: ReadonlyMap<string, Score>,
): string[] {
  return [...classified.keys()].flatMap((key) => {
    if (key.endsWith("*")) {
      const isInUse = [...keys].some((one) => isStartOf(key, one));
      return isInUse ? [] : [`stale: there is no mutant ${key}`];
    }
    if (!keys.has(key)) return [`stale: there is no mutant ${key}`];
    const outcome = scores.get(key)?.outcome;
    const isMissed = outcome === undefined || outcome === classified.get(key);
    return isMissed ? [] : [`stale: ${outcome}: ${key}`];
  });
}
