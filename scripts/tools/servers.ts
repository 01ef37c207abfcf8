import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT, versionOf } from "../package-tarball.ts";
import { findOnPath } from "../runtimes/checks.ts";
import { DOCUMENT, type Tool, type ToolFolder, ToolMissing } from "./tool.ts";

const DOCUMENT_JSON = join(ROOT, "generated/openapi.json");
const REDOCLY = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));

/** Tools that mock the service, call it, or test it. */
export const serverTools: readonly Tool[] = [
  {
    ...{ name: "MSW fromOpenApi", version: "2.15.0" },
    packages: { msw: "2.15.0", "@mswjs/source": "0.5.0" },
    check: (folder) => runProgram(folder, "msw.js"),
  },
  {
    ...{ name: "Postman converter", version: "6.3.3" },
    packages: { "openapi-to-postmanv2": "6.3.3" },
    check: (folder) => runProgram(folder, "postman.cjs"),
  },
  {
    ...{ name: "Redocly Respect", version: versionOf("@redocly/cli"), packages: {} },
    check: async (folder, { sandbox }) => {
      const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
      const { result } = await sandbox.trigger("link-start");
      const { bankLinkId } = result;
      const input = JSON.stringify({ accountId, clientId, clientSecret, bankLinkId });
      const printed = await folder.run(process.execPath, [
        ...[REDOCLY, "respect", join(ROOT, "generated/arazzo.yaml")],
        ...["--server", `feed=${sandbox.baseUrl}`, "--input", input],
      ]);
      return countsIn(printed, /Workflows: \d+ passed.*/, /Checks: \d+ passed.*/);
    },
  },
  {
    ...{ name: "Dredd", version: "14.1.0", packages: { dredd: "14.1.0" } },
    check: async (folder, { mockUrl }) => {
      await copyProgram(folder, "dredd-hooks.cjs");
      const flags = ["--hookfiles", "dredd-hooks.cjs", "--loglevel", "error"];
      const printed = await folder.bin("dredd", [DOCUMENT, mockUrl, ...flags]);
      return countsIn(printed, /\d+ passing, 0 failing/);
    },
  },
  {
    ...{ name: "Specmatic", version: "2.55.1", packages: { specmatic: "2.55.1" } },
    check: async (folder, { mockUrl }) => {
      const java = await findOnPath(["java"]);
      if (!java) throw new ToolMissing("it requires Java 17, which is not installed");
      await folder.write("openapi.json", await readFile(DOCUMENT_JSON, "utf8"));
      await folder.write("specmatic.yaml", JSON.stringify(SPECMATIC));
      const jar = "node_modules/specmatic/specmatic.jar";
      const flags = [`--testBaseURL=${mockUrl}`, `--filter=${SPECMATIC_FILTER}`];
      const { printed } = await folder.end(java, [
        "-XX:-UsePerfData",
        "-jar",
        jar,
        "test",
        ...flags,
      ]);
      const [, reason] = /^ *Reason:\s*([\s\S]*?)\n\n/m.exec(printed) ?? [];
      if (reason) throw new Error(reason.replaceAll(/\s+/g, " "));
      return countsIn(printed, /Tests run: \d{2,}, .*Failures: 0.*Errors: 0/);
    },
  },
];

/** Contract tests only: the generative ones send cursors that a server rejects. */
const SPECMATIC = {
  version: 2,
  contracts: [{ filesystem: { directory: "." }, provides: ["openapi.json"] }],
  test: { resiliencyTests: { enable: "none" }, allowExtensibleSchema: true },
};

/** Specmatic sends text that is not JSON as the body of the PATCH; Prism never responds to it. */
const SPECMATIC_FILTER = "STATUS='200' && METHOD!='PATCH'";

async function copyProgram({ dir }: ToolFolder, name: string): Promise<void> {
  await copyFile(new URL(`programs/${name}`, import.meta.url), join(dir, name));
}

/** Runs a program of `programs/` with the tool's packages; it prints what worked. */
async function runProgram(folder: ToolFolder, name: string): Promise<string> {
  await copyProgram(folder, name);
  const printed = await folder.run(process.execPath, [name, DOCUMENT_JSON]);
  return printed.trim();
}

/** Returns the counts in a tool's output. Throws the output if a count is missing. */
function countsIn(printed: string, ...patterns: readonly RegExp[]): string {
  const counts = patterns.map((pattern) => pattern.exec(printed)?.[0].trim());
  if (counts.includes(undefined)) throw new Error(printed);
  return counts.join("; ");
}
