/**
 * `npm run check:library`: packs `spec/library`, installs it into a new TypeSpec project, and
 * compiles there what its README shows. A line each; exit status 1 where one fails.
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
  const workshop = new TempWorkspace();
  const tarball = await packLibrary(workshop);
  await check(workshop, tarball);
  return 0;
}

async function packLibrary(workshop: TempWorkspace): Promise<string> {
  const flags = ["--json", "--pack-destination", workshop.dir];
  const printed = await runOrThrow(workshop, "npm", ["pack", ...flags], LIBRARY);
  // What the scripts of the package print comes first.
  const [packed] = Object.values<Packed>(JSON.parse(printed.slice(printed.search(/^[[{]/m))));
  const paths = packed?.files.map(({ path }) => path) ?? [];
  if (!packed || !paths.includes("dist/index.js") || paths.some((path) => path.endsWith(".ts"))) {
    throw new ScriptError([`library: expected JavaScript and no TypeScript; got ${paths}`]);
  }
  return join(workshop.dir, packed.filename);
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Installs the library alone into a new project, and compiles the README's example there. */
async function check(workshop: TempWorkspace, tarball: string): Promise<void> {
  const start = performance.now();
  const project = join(workshop.dir, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const flags = ["--save-dev", "--no-audit", "--no-fund", "--prefer-offline"];
  await runOrThrow(workshop, "npm", ["install", ...flags, tarball], project);
  const contract = await readmeBlock("tsp");
  await writeFile(join(project, "main.tsp"), contract);
  await writeFile(join(project, "tspconfig.yaml"), await readmeBlock("yaml"));
  const compile = (...words: string[]): Promise<ProgramResult> =>
    workshop.run(join(project, "node_modules/.bin/tsp"), ["compile", ".", ...words], {
      cwd: project,
    });

  expect("the README's example compiles", await compile(), 0);
  const document = JSON.parse(await readFile(join(project, "generated/openapi.json"), "utf8"));
  if (!document.webhooks?.["order.placed"]?.post || Object.keys(document.paths).length > 0) {
    throw new ScriptError(["library: expected a webhook order.placed, and no path"]);
  }
  const beside = await compile("--emit", "@typespec/openapi3");
  expect("@typespec/openapi3 emits the same program", beside, 0);
  await writeFile(join(project, "main.tsp"), contract.replace("@webhook", "@put @webhook"));
  expect("@put on a webhook is refused", await compile(), 1, "webhook-verb");
  const { version } = JSON.parse(
    await readFile(join(project, "node_modules/@typespec/compiler/package.json"), "utf8"),
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`TypeSpec ${version}: installs, compiles, refuses @put; ${seconds} s`);
}

async function readmeBlock(language: string): Promise<string> {
  const readme = await readFile(join(LIBRARY, "README.md"), "utf8");
  return readme.split(`\n\`\`\`${language}\n`)[1]?.split("\n```")[0] ?? "";
}

/** Throws a ScriptError, with what was printed, when a program ended in another way. */
function expect(fact: string, ended: ProgramResult, status: number, text = ""): void {
  const printed = ended.stdout + ended.stderr;
  if (ended.status === status && printed.includes(text)) return;
  throw new ScriptError([`library: expected that ${fact}; exit status ${ended.status}`, printed]);
}

await runScript("check:library", main);
