/**
 * `npm run check:library`: packs `spec/library`, installs it into a new TypeSpec project, and
 * compiles the example of its README there. Exit status 1 if a step fails.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, runOrThrow } from "./package-tarball.ts";
import { runScript, ScriptError } from "./run-script.ts";
import { type ProgramResult, TempWorkspace } from "./temp-workspace.ts";

const LIBRARY = join(ROOT, "spec/library");

async function main(): Promise<number> {
  parseArgs();
  const workspace = new TempWorkspace();
  const tarball = await packLibrary(workspace);
  await check(workspace, tarball);
  return 0;
}

async function packLibrary(workspace: TempWorkspace): Promise<string> {
  const flags = ["--json", "--pack-destination", workspace.dir];
  const printed = await runOrThrow(workspace, "npm", ["pack", ...flags], LIBRARY);
  // The output of the package's scripts precedes the JSON.
  const [packed] = Object.values<Packed>(JSON.parse(printed.slice(printed.search(/^[[{]/m))));
  const paths = packed?.files.map(({ path }) => path) ?? [];
  if (!packed || !paths.includes("dist/index.js") || paths.some((path) => path.endsWith(".ts"))) {
    throw new ScriptError([`library: expected JavaScript and no TypeScript; got ${paths}`]);
  }
  return join(workspace.dir, packed.filename);
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Installs the library into a new project and compiles the README's example. */
async function check(workspace: TempWorkspace, tarball: string): Promise<void> {
  const start = performance.now();
  const project = join(workspace.dir, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const flags = ["--save-dev", "--no-audit", "--no-fund", "--prefer-offline"];
  await runOrThrow(workspace, "npm", ["install", ...flags, tarball], project);
  const contract = await readmeBlock("tsp");
  await writeFile(join(project, "main.tsp"), contract);
  await writeFile(join(project, "tspconfig.yaml"), await readmeBlock("yaml"));
  const compile = (...words: string[]): Promise<ProgramResult> =>
    workspace.run(join(project, "node_modules/.bin/tsp"), ["compile", ".", ...words], {
      cwd: project,
    });

  expect("the README's example compiles", await compile(), 0);
  const document = JSON.parse(await readFile(join(project, "generated/openapi.json"), "utf8"));
  if (!document.webhooks?.["order.placed"]?.post || Object.keys(document.paths).length > 0) {
    throw new ScriptError(["library: expected a webhook order.placed, and no path"]);
  }
  const withOpenapi3 = await compile("--emit", "@typespec/openapi3");
  expect("@typespec/openapi3 emits the same program", withOpenapi3, 0);
  await writeFile(join(project, "main.tsp"), contract.replace("@webhook", "@put @webhook"));
  expect("@put on a webhook is rejected", await compile(), 1, "webhook-verb");
  const { version } = JSON.parse(
    await readFile(join(project, "node_modules/@typespec/compiler/package.json"), "utf8"),
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`TypeSpec ${version}: installs, compiles, rejects @put; ${seconds} s`);
}

async function readmeBlock(language: string): Promise<string> {
  const readme = await readFile(join(LIBRARY, "README.md"), "utf8");
  return readme.split(`\n\`\`\`${language}\n`)[1]?.split("\n```")[0] ?? "";
}

/** Throws a ScriptError with the output unless a program has the expected status and text. */
function expect(fact: string, ended: ProgramResult, status: number, text = ""): void {
  const printed = ended.stdout + ended.stderr;
  if (ended.status === status && printed.includes(text)) return;
  throw new ScriptError([`library: expected that ${fact}; exit status ${ended.status}`, printed]);
}

await runScript(
  {
    name: "check:library",
    summary: "packs spec/library and compiles its README example in a new project",
  },
  main,
);
