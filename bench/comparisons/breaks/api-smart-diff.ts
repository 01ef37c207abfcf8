import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ToolFolder } from "../../../scripts/tools/tool.ts";
import { withEventsAsResponses, withoutExamples } from "./documents.ts";
import type { Mode, Tool } from "./tool.ts";

interface Difference {
  readonly type: string;
  readonly path: readonly (string | number)[];
}

type ApiCompare = (before: object, after: object) => { diffs: readonly Difference[] };

async function differences(folder: ToolFolder, before: object, after: object) {
  const file = join(folder.dir, "node_modules/api-smart-diff/dist/index.mjs");
  const { apiCompare }: { apiCompare: ApiCompare } = await import(pathToFileURL(file).href);
  const { diffs } = apiCompare(before, after);
  return diffs.filter(({ type }) => type === "breaking");
}

const unmodified: Mode = {
  label: "unmodified",
  isBreaking: async (folder, before, after) =>
    (await differences(folder, withoutExamples(before), withoutExamples(after))).length > 0,
};

/** Ignores changes of components, which the tool classifies as if they were in requests. */
const inPaths: Mode = {
  label: "events as responses, changes of paths",
  isBreaking: async (folder, before, after) => {
    const [old, next] = [before, after].map((document) =>
      withEventsAsResponses(withoutExamples(document)),
    );
    const found = await differences(folder, old ?? {}, next ?? {});
    return found.some(({ path }) => path[0] === "paths");
  },
};

export const apiSmartDiff: Tool = {
  ...{ name: "api-smart-diff", version: "1.0.6", packages: { "api-smart-diff": "1.0.6" } },
  modes: [unmodified, inPaths],
};
