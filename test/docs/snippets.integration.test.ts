import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../document.ts";
import { typecheck } from "../support/installed-package.ts";
import { startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { allSnippets, nameOf, writeSnippets } from "./workspace.ts";

const snippets = allSnippets();
const dir = tempDir();
let sandbox: Sandbox;

beforeAll(async () => {
  await writeSnippets(dir);
  sandbox = await createSandbox({ clock: "frozen" });
  const document = join(ROOT, "generated/openapi.json");
  const openapiTs = join(ROOT, "node_modules/.bin/openapi-ts");
  await run("docs/client.md", [openapiTs, "-i", document, "-o", "hey-api", "--no-log-file"]);
});

afterAll(() => sandbox?.close());

/** Runs Node.js in the folder of a page. Returns its output; rejects if it fails. */
async function run(page: string, args: readonly string[]): Promise<string> {
  const { accountId, clientId, clientSecret } = sandbox.accounts[0];
  const env = {
    ...{ TXFEED_BASE_URL: sandbox.baseUrl, TXFEED_ACCOUNT_ID: accountId },
    ...{ TXFEED_CLIENT_ID: clientId, TXFEED_CLIENT_SECRET: clientSecret },
  };
  const cwd = join(dir, nameOf(page));
  const { status, stdout, stderr } = await startNode(args, { cwd, env }).ended;
  if (status !== 0 || stderr !== "") throw new Error(`${page}, ${args[0]}: ${stderr || stdout}`);
  return stdout;
}

test("every snippet compiles", async () => {
  const programs = snippets.filter(({ language }) => language !== "json");
  const files = programs.map(({ page, file }) => join(dir, nameOf(page), file));
  expect(await typecheck(dir, files)).toEqual({ stdout: "", status: 0 });
});

test.each(snippets.filter(({ output }) => output !== undefined))(
  "$page:$line prints the output below it",
  async ({ page, file, code, output }) => {
    // Hey API generates imports of folders, which only a bundler resolves.
    const program = code.includes('"./hey-api/') ? await bundle(page, file) : file;
    expect(await run(page, [program])).toBe(output);
  },
);

async function bundle(page: string, file: string): Promise<string> {
  const outfile = file.replace(/\.ts$/, ".mjs");
  await build({
    ...{ absWorkingDir: join(dir, nameOf(page)), entryPoints: [file], outfile },
    ...{ bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" },
  });
  return outfile;
}
