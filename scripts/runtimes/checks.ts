import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { failureReason } from "../result-lines.ts";
import type { ProgramResult, TempWorkspace } from "../temp-workspace.ts";
import { type FeedServer, startFeedServer } from "./feed-server.ts";
import type { Runtime } from "./runtimes.ts";

const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));

/** The folders of an installation. */
export interface Installation {
  readonly workspace: TempWorkspace;
  /** The project with the package and its consumers. */
  readonly project: string;
  /** The folder with the packages of the runtimes. */
  readonly runtimes: string;
}

/** An environment without the user's files. */
export function isolatedEnv({ workspace }: Installation): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: workspace.dir, TMPDIR: workspace.dir, NO_COLOR: "1" };
}

/** Runs a consumer of the package on a runtime. */
export async function checkRuntime(runtime: Runtime, places: Installation): Promise<string> {
  const options = { cwd: places.project, env: isolatedEnv(places) };
  const program = runtime.program(places.runtimes);
  const { stdout } = succeeded(await places.workspace.run(program, ["--version"], options));
  if (!stdout.includes(runtime.version))
    throw new Error(`unexpected version: ${stdout.split("\n")[0]}`);
  const feed = await startFeedServer();
  try {
    const args = [...runtime.args, feed.origin];
    const ended = succeeded(await places.workspace.run(program, args, options));
    return `${runtime.uses}: ${countFacts(ended.stdout, feed)}`;
  } finally {
    await feed.close();
  }
}

/** Checks that an old Node.js gets a one-line error with the required version. */
export async function checkOldNode(
  { version, program }: Pick<Runtime, "version" | "program">,
  places: Installation,
): Promise<string> {
  const run = (...args: string[]) =>
    places.workspace.run(program(places.runtimes), args, {
      cwd: places.project,
      env: isolatedEnv(places),
    });
  const command = await run("node_modules/txfeed/dist/bin/txfeed.js", "validate", "x");
  const refusal = `txfeed needs Node.js 22 or later; this is v${version}\n`;
  if (command.status !== 2 || command.stdout + command.stderr !== refusal) {
    throw new Error(`txfeed: exit status ${command.status}: ${failureReason(command.stderr)}`);
  }
  for (const name of ["txfeed/sandbox", "txfeed/webhooks/sqlite"]) {
    const { stderr } = await run("--input-type=module", "-e", `import "${name}";`);
    if (!stderr.includes(`need Node.js 22.13 or later; this is v${version}\n`)) {
      throw new Error(`${name}: ${failureReason(stderr)}`);
    }
  }
  return "txfeed, txfeed/sandbox and txfeed/webhooks/sqlite name the required version";
}

/**
 * Counts a consumer's assertions.
 *
 * @throws if there are none, or the client followed a redirect or requested no gzip
 */
export function countFacts(report: string, { observed }: FeedServer): string {
  const facts = readFacts(report);
  if (observed.foreignRequests > 0)
    throw new Error("the client followed a redirect to another origin");
  if (observed.zipped === 0) throw new Error("the client requested no gzip");
  return `${facts.length} assertions passed`;
}

function readFacts(report: string): string[] {
  try {
    const facts: unknown = JSON.parse(report);
    if (Array.isArray(facts) && facts.length > 0) return facts;
  } catch {
    // The report is an error message.
  }
  throw new Error(failureReason(report));
}

/** Compiles the consumers with strict TypeScript, including the package's types. */
export async function checkTypes(
  moduleResolution: "NodeNext" | "Bundler",
  { workspace, project }: Installation,
): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ target: "ES2024", lib: ["ES2024", "DOM", "DOM.Iterable"] },
    ...{ module: moduleResolution === "Bundler" ? "ESNext" : "NodeNext", moduleResolution },
  };
  const compiled = async (types: readonly string[], files: readonly string[]) => {
    const config = { compilerOptions: { ...compilerOptions, types }, files };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
    succeeded(await workspace.run(process.execPath, [TSC], { cwd: project }));
  };
  // Portable code compiles without the types of Node.js.
  await compiled([], ["anywhere.ts", "browser.ts"]);
  await compiled(["node"], ["node.ts"]);
  return "strict, with the package's types; only Node.js code needs the types of Node.js";
}

function succeeded(ended: ProgramResult): ProgramResult {
  if (ended.status === 0) return ended;
  throw new Error(failureReason(ended.stderr || ended.stdout));
}

/** Finds a program on the PATH. */
export async function findOnPath(names: readonly string[]): Promise<string | undefined> {
  for (const dir of (process.env.PATH ?? "").split(":")) {
    const there = new Set(await readdir(dir).catch(() => []));
    const name = names.find((each) => there.has(each));
    if (name !== undefined) return join(dir, name);
  }
  return undefined;
}
