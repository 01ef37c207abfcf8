import type { ToolFolder } from "../../../scripts/tools/tool.ts";
import type { Doc } from "../../../test/breaks/corpus/index.ts";
import { asOpenApi30, changedPaths, withEventsAsResponses, withoutExamples } from "./documents.ts";
import type { Tool } from "./tool.ts";

/** The tool takes one second, or many minutes to compare the variants of a union. */
const TIMEOUT_MS = 20_000;

async function isBreaking(folder: ToolFolder, before: object, after: object): Promise<boolean> {
  await folder.write("before.json", JSON.stringify(before));
  await folder.write("after.json", JSON.stringify(after));
  const program = "node_modules/.bin/openapi-diff";
  const files = ["before.json", "after.json"];
  const { printed } = await folder.end(program, files, {}, TIMEOUT_MS);
  if (/^Breaking changes found/m.test(printed)) return true;
  if (/^(Non breaking|No) changes found/m.test(printed)) return false;
  // The first line is the error: a path and a description.
  const [line = ""] = printed.split("\n");
  throw new Error(line.replace(/^.*json": /, ""));
}

export const openapiDiff: Tool = {
  ...{ name: "openapi-diff", version: "0.24.1", packages: { "openapi-diff": "0.24.1" } },
  modes: [
    { label: "unmodified", isBreaking },
    {
      label: "as OpenAPI 3.0, events as responses",
      isBreaking: (folder, before, after) => {
        const prepare = (document: Doc) => withEventsAsResponses(withoutExamples(document));
        const [old, next] = changedPaths(prepare(before), prepare(after)) ?? [];
        if (old === undefined || next === undefined) return Promise.resolve(false);
        return isBreaking(folder, asOpenApi30(old), asOpenApi30(next));
      },
    },
  ],
};
