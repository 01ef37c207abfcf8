import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/sandbox/index.ts";
import { ROOT } from "./document.ts";
import { typecheckSnippets, writeSnippets } from "./snippets.ts";
import { startNode } from "./support/program.ts";
import { tempDir } from "./support/temp-dir.ts";

/** The examples of docs/client.md, each with its file and its expected output. */
const examples = [
  ...readFileSync(join(ROOT, "docs/client.md"), "utf8").matchAll(
    /^```ts file=(\S+)\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/gm,
  ),
].map(([, file = "", code = "", output]) => ({ file, code, output }));

const dir = tempDir();
let sandbox: Sandbox;

beforeAll(async () => {
  await writeSnippets(dir, examples);
  const document = join(ROOT, "generated/openapi.json");
  await run(
    bin("@hey-api/openapi-ts/bin/run.js"),
    "-i",
    document,
    "-o",
    "hey-api",
    "--no-log-file",
  );
  sandbox = await createSandbox({ clock: "frozen" });
});

afterAll(async () => {
  await sandbox?.close();
});

const bin = (path: string) => join(ROOT, "node_modules", path);

/** Runs a tool of npm in the folder. Returns its output; rejects if it fails or prints an error. */
async function run(...args: readonly string[]): Promise<string> {
  const { accountId, clientId, clientSecret } = sandbox?.accounts[0] ?? {};
  const env = {
    ...{ TXFEED_BASE_URL: sandbox?.baseUrl, TXFEED_ACCOUNT_ID: accountId },
    ...{ TXFEED_CLIENT_ID: clientId, TXFEED_CLIENT_SECRET: clientSecret },
  };
  const { status, stdout, stderr } = await startNode(args, { cwd: dir, env }).ended;
  if (status !== 0) throw new Error(`${args[0]}: ${stderr || stdout}`);
  return stdout;
}

test("each example compiles", async () => {
  const bundled = { module: "ESNext", moduleResolution: "Bundler" };
  expect(await typecheckSnippets(dir, examples, bundled)).toEqual({ stdout: "", status: 0 });
});

test.each(examples.filter(({ output }) => output !== undefined))(
  "$file prints the output in docs/client.md",
  async ({ file, output }) => {
    const bundled = file.replace(".ts", ".mjs");
    // Generated clients import folders, which a bundler resolves.
    await build({
      ...{ absWorkingDir: dir, entryPoints: [file], outfile: bundled, logLevel: "error" },
      ...{ bundle: true, platform: "node", format: "esm", packages: "external" },
    });
    expect(await run(bundled)).toBe(output);
  },
);
