import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolFolder } from "../../../scripts/tools/tool.ts";
import type { Doc } from "../../../test/breaks/corpus/index.ts";
import {
  changedPaths,
  withEventsAsResponses,
  withoutExamples,
  withoutWebhooks,
} from "./documents.ts";
import type { Tool } from "./tool.ts";

const GIT = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"];

/** A cache of verdicts. Both modes compare the same documents if only the API changed. */
const results = new Map<string, Promise<boolean>>();

function isBreaking(folder: ToolFolder, before: Doc, after: Doc): Promise<boolean> {
  const changed = changedPaths(before, after);
  // The tool compares only paths.
  if (changed === undefined) return Promise.resolve(false);
  const [old = "", next = ""] = changed.map((document) =>
    JSON.stringify(withoutWebhooks(document), null, 1),
  );
  const key = `${old}\n${next}`;
  const result = results.get(key) ?? check(folder, old, next);
  results.set(key, result);
  return result;
}

/** Runs the check in a git repository with one commit, which contains the old document. */
async function check(folder: ToolFolder, old: string, next: string): Promise<boolean> {
  await mkdir(join(folder.dir, "runs"), { recursive: true });
  const repository = await mkdtemp(join(folder.dir, "runs/"));
  try {
    const file = join(repository, "openapi.json");
    await writeFile(file, old);
    const git = (...words: string[]) => folder.run("git", ["-C", repository, ...GIT, ...words]);
    await git("init", "--quiet", "--initial-branch=main");
    await git("add", ".");
    await git("commit", "--quiet", "--message=old");
    await writeFile(file, next);
    const jar = "node_modules/specmatic/specmatic.jar";
    const words = ["--base-branch=main", `--repo-dir=${repository}`, `--target-path=${file}`];
    const { printed } = await folder.end("java", [
      ...["-jar", jar, "backward-compatibility-check"],
      ...words,
    ]);
    const [, verdict] = /\((COMPATIBLE|INCOMPATIBLE)\)/.exec(printed) ?? [];
    if (verdict === undefined) throw new Error(printed);
    return verdict === "INCOMPATIBLE";
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

export const specmatic: Tool = {
  ...{ name: "Specmatic", version: "2.55.1", packages: { specmatic: "2.55.1" } },
  modes: [
    {
      label: "unmodified",
      isBreaking: (folder, before, after) =>
        isBreaking(folder, withoutExamples(before), withoutExamples(after)),
    },
    {
      label: "events as responses",
      isBreaking: (folder, before, after) => {
        const prepare = (document: Doc) => withEventsAsResponses(withoutExamples(document));
        return isBreaking(folder, prepare(before), prepare(after));
      },
    },
  ],
};
