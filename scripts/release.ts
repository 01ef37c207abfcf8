/**
 * `npm run release -- VERSION [--dry-run]`: prepares a release in a clean checkout of `main`. Moves
 * the section "Unreleased" of CHANGELOG.md to the version, commits and tags. The workflow "release"
 * pushes and publishes; its job that pushes installs no packages, so this file imports none.
 * `--dry-run` changes nothing.
 */
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { UsageError } from "../src/errors.ts";
import { runScript, ScriptError } from "./run-script.ts";

const VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const UNRELEASED = "## Unreleased\n";

/** The fields of package.json that a release reads. */
interface Manifest {
  readonly version: string;
  readonly repository?: { readonly url?: string };
}

/** Runs a program in the current folder and returns its output. */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  const text = error?.message ?? `exit status ${status}`;
  throw new ScriptError([`release: ${command} ${args.join(" ")}: ${text}`, stdout + stderr]);
}

function fail(message: string): never {
  throw new ScriptError([`release: ${message}`]);
}

/** Throws a ScriptError unless the checkout can be released as this version. */
function checkCheckout(version: string, manifest: Manifest): void {
  const current = manifest.version;
  if (!VERSION.test(version)) fail(`VERSION must be like 1.2.3; got "${version}"`);
  const [old, next] = [current, version].map((text) => text.split("-")[0] ?? "");
  if ((next ?? "").localeCompare(old ?? "", "en", { numeric: true }) < 0) {
    fail(`VERSION must not be lower than ${current}; got ${version}`);
  }
  const branch = run("git", "branch", "--show-current");
  if (branch !== "main") fail(`check out main; the current branch is "${branch}"`);
  const changed = run("git", "status", "--porcelain");
  if (changed !== "") fail(`commit or remove these changes:\n${changed}`);
  if (run("git", "tag", "--list", `v${version}`) !== "") fail(`the tag v${version} exists`);
  if (!/^git\+https:\/\/.+\.git$/.test(manifest.repository?.url ?? "")) {
    fail("set repository.url in package.json to the repository's address, git+https://….git");
  }
}

/**
 * Moves the section "Unreleased" of a changelog below a heading for the version.
 *
 * @throws {ScriptError} The section is missing or empty.
 */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const [before, section] = changelog.split(UNRELEASED);
  if (before === undefined || section === undefined) fail('CHANGELOG.md has no "## Unreleased"');
  const [notes = ""] = section.split(/^## /m);
  if (notes.trim() === "") fail('the section "Unreleased" of CHANGELOG.md is empty');
  return `${before}${UNRELEASED}\n## ${version} (${date})\n${section}`;
}

/** Sets the version in the text of package.json or package-lock.json. */
function withVersion(text: string, version: string): string {
  const content = JSON.parse(text);
  content.version = version;
  const own = content.packages?.[""];
  if (own) own.version = version;
  return `${JSON.stringify(content, null, 2)}\n`;
}

const FLAGS = {
  "dry-run": { type: "boolean", help: "print what would happen; change nothing" },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: FLAGS,
  });
  const [version, ...others] = positionals;
  if (version === undefined) throw new UsageError("VERSION is missing");
  if (others.length > 0) throw new UsageError(`unexpected argument "${others[0]}"`);
  const manifest = await readFile("package.json", "utf8");
  checkCheckout(version, JSON.parse(manifest));
  const date = new Date().toISOString().slice(0, 10);
  const changelog = releaseChangelog(await readFile("CHANGELOG.md", "utf8"), version, date);
  const commands = [
    ["git", "commit", "--quiet", "--all", "--message", `release: ${version}`],
    ["git", "tag", "--annotate", `v${version}`, "--message", `txfeed ${version}`],
  ] as const;
  if (values["dry-run"]) {
    console.log(`would write CHANGELOG.md, package.json and package-lock.json, and run:`);
    for (const command of commands) console.log(`  ${command.join(" ")}`);
    return 0;
  }
  await writeFile("CHANGELOG.md", changelog);
  await writeFile("package.json", withVersion(manifest, version));
  const lock = await readFile("package-lock.json", "utf8");
  await writeFile("package-lock.json", withVersion(lock, version));
  for (const [command, ...args] of commands) run(command, ...args);
  console.log(`committed and tagged ${version}; now run git push --follow-tags`);
  return 0;
}

const summary = "commits and tags the release VERSION in a clean checkout of main";
if (import.meta.main) {
  await runScript({ name: "release", summary, positionals: ["VERSION"], flags: FLAGS }, main);
}
