import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ScriptError } from "../scripts/run-script.ts";
import type { Mutation } from "./mutation.ts";
import type { Options } from "./options.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHECKS = "conformance/checks";

/** Every mutation depends on these paths, so a change in them affects all groups. */
const CONCERNS_ALL = /^(mutation\/[^/]+|src\/sandbox\/.*)\.ts$/;

/** The mutations that the options select. */
export async function selectMutations(
  all: readonly Mutation[],
  { only, changed, shard }: Pick<Options, "only" | "changed" | "shard">,
): Promise<readonly Mutation[]> {
  const wanted = only?.split(",");
  const groups = changed === undefined ? undefined : touchedGroups(await changedFiles(changed));
  return all
    .filter(
      ({ id, requirement }) =>
        !wanted ||
        wanted.some((one) => id === one || id.startsWith(`${one}/`) || requirement === one),
    )
    .filter(({ id, requirement }) => {
      return !groups || groups.has(groupOf(requirement)) || groups.has(groupOf(id));
    })
    .filter((_, at) => !shard || at % shard.of === shard.nr - 1);
}

/** Files changed since the merge base with a revision, including uncommitted ones. */
async function changedFiles(revision: string): Promise<string[]> {
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)("git", args, { cwd: ROOT });
    return stdout.split("\n").filter((line) => line !== "");
  };
  const [base = revision] = await git("merge-base", revision, "HEAD").catch(() => {
    throw new ScriptError([`mutation: git knows no revision ${revision}`]);
  });
  const [tracked, untracked] = await Promise.all([
    git("diff", "--name-only", "--no-renames", base),
    git("ls-files", "--others", "--exclude-standard"),
  ]);
  return [...tracked, ...untracked];
}

/** The requirement groups, such as `PAGE`, whose checks or mutations depend on some files. */
export function touchedGroups(files: readonly string[]): ReadonlySet<string> {
  const folders = readdirSync(join(ROOT, CHECKS), { withFileTypes: true });
  const groups = folders.filter((one) => one.isDirectory() && one.name !== "shared");
  const touched = groups
    .map(({ name }) => name.toUpperCase())
    .filter((group) => {
      return files.some((file) => CONCERNS_ALL.test(file) || closureOf(group).has(file));
    });
  const mutated = files.flatMap((file) => /^mutation\/mutations\/(\w+)/.exec(file)?.[1] ?? []);
  return new Set([...touched, ...mutated.map((name) => name.toUpperCase())]);
}

/** The group of a requirement, or of a mutation by its id. */
function groupOf(id: string): string {
  return id.split(/[-/]/)[0]?.toUpperCase() ?? "";
}

const closures = new Map<string, ReadonlySet<string>>();

/** The files of a group's checks, including their imports. */
function closureOf(group: string): ReadonlySet<string> {
  const known = closures.get(group);
  if (known) return known;
  const folder = join(CHECKS, group.toLowerCase());
  const open = readdirSync(join(ROOT, folder)).map((name) => join(folder, name));
  const closure = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (closure.has(file)) continue;
    closure.add(file);
    open.push(...importsOf(file));
  }
  closures.set(group, closure);
  return closure;
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  return [...source.matchAll(/\bfrom "(\.[^"]+\.ts)"/g)].map(([, path = ""]) =>
    relative(ROOT, join(ROOT, dirname(file), path)),
  );
}
