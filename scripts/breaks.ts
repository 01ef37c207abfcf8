/**
 * `npm run breaks`: compares the document in `generated/` with the last release, the newest tag
 * `v*` in this commit's history. Before the first release it compares with `main`. Takes the flags
 * of `txfeed breaks`.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { breaks } from "../src/cli/breaks.ts";
import { readCall } from "../src/cli/command.ts";
import { runScript, ScriptError } from "./run-script.ts";

const DOCUMENT = "generated/openapi.json";
const run = promisify(execFile);

async function main(): Promise<number> {
  const old = `${await lastRelease()}:${DOCUMENT}`;
  return breaks.run(readCall(breaks, [old, DOCUMENT, ...process.argv.slice(2)]));
}

async function lastRelease(): Promise<string> {
  try {
    const { stdout } = await run("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"]);
    return stdout.trim();
  } catch {
    // Before the first release.
  }
  for (const branch of ["main", "origin/main"]) {
    const isThere = await run("git", ["rev-parse", "--verify", "--quiet", branch]).catch(
      () => null,
    );
    if (isThere) return branch;
  }
  throw new ScriptError(["breaks: there is no tag v* and no branch main to compare with"]);
}

const summary = "compares generated/openapi.json with the last release, or with main";
await runScript({ name: "breaks", summary, flags: breaks.flags }, main);
