import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { ScriptError } from "../scripts/run-script.ts";
import type { Verdict } from "./task.ts";

/**
 * Why the suite need not catch a mutant, or that it should:
 * - `open`: the interface leaves open what the mutant changes;
 * - `control`: it changes only the sandbox's own API, or what only that API shows;
 * - `gap`: a check is missing.
 */
export type MissedAs = "open" | "control" | "gap";

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
 * @param outcomes The outcomes of this run.
 */
export function staleEntries(
  classified: Classified,
  keys: ReadonlySet<string>,
  outcomes: ReadonlyMap<string, Verdict["outcome"]>,
): string[] {
  return [...classified.keys()].flatMap((key) => {
    if (key.endsWith("*")) {
      const isInUse = [...keys].some((one) => isStartOf(key, one));
      return isInUse ? [] : [`stale: there is no mutant ${key}`];
    }
    if (!keys.has(key)) return [`stale: there is no mutant ${key}`];
    const outcome = outcomes.get(key);
    return outcome === undefined || outcome === "missed" ? [] : [`stale: ${outcome}: ${key}`];
  });
}
