import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { failureReason } from "../result-lines.ts";
import type { ProgramResult, TempWorkspace } from "../temp-workspace.ts";
import { type FeedServer, startFeedServer } from "./feed-server.ts";
import type { Runtime } from "./runtimes.ts";

const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));

/** Where things were installed. */
export interface Installation {
  readonly workshop: TempWorkspace;
  /** The project that uses the package. */
  readonly project: string;
  /** The folder of the runtimes' packages. */
  readonly runtimes: string;
}

/** What was done; throws an Error that says why where it did not work. */
export type Trial = () => Promise<string>;

/** The environment of what is tried: nothing of this user's is read or written. */
export function isolatedEnv({ workshop }: Installation): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: workshop.dir, TMPDIR: workshop.dir, NO_COLOR: "1" };
}

/** Uses the package on a runtime. */
export async function checkRuntime(runtime: Runtime, places: Installation): Promise<string> {
  const options = { cwd: places.project, env: isolatedEnv(places) };
  const program = runtime.program(places.runtimes);
  const { stdout } = succeeded(await places.workshop.run(program, ["--version"], options));
  if (!stdout.includes(runtime.version)) throw new Error(`it is ${stdout.split("\n")[0]}`);
  const feed = await startFeedServer();
  try {
    const args = [...runtime.args, feed.origin];
    const ended = succeeded(await places.workshop.run(program, args, options));
    return `${runtime.uses}: ${countFacts(ended.stdout, feed)}`;
  } finally {
    await feed.close();
  }
}

/** The command line and the modules with SQLite name the Node.js that they need, in one line. */
export async function checkOldNode(
  { version, program }: Pick<Runtime, "version" | "program">,
  places: Installation,
): Promise<string> {
  const run = (...args: string[]) =>
    places.workshop.run(program(places.runtimes), args, {
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
  return "txfeed, txfeed/sandbox and txfeed/webhooks/sqlite name the version that they need";
}

/** Counts what a consumer found to hold. Throws where it found none, or the service saw more. */
export function countFacts(report: string, { seen }: FeedServer): string {
  const facts = readFacts(report);
  if (seen.strayed > 0) throw new Error("it followed the redirect to another origin");
  if (seen.zipped === 0) throw new Error("it asked for nothing in gzip");
  return `${facts.length} facts hold`;
}

function readFacts(report: string): string[] {
  try {
    const facts: unknown = JSON.parse(report);
    if (Array.isArray(facts) && facts.length > 0) return facts;
  } catch {
    // It reports why instead.
  }
  throw new Error(failureReason(report));
}

/** Compiles the consumers as a project of strict TypeScript would, the package's types included. */
export async function checkTypes(
  moduleResolution: "NodeNext" | "Bundler",
  { workshop, project }: Installation,
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
    succeeded(await workshop.run(process.execPath, [TSC], { cwd: project }));
  };
  // What runs anywhere needs no types of Node's.
  await compiled([], ["anywhere.ts", "browser.ts"]);
  await compiled(["node"], ["node.ts"]);
  return "strict, the package's own types checked; of Node's, only what is Node's needs any";
}

function succeeded(ended: ProgramResult): ProgramResult {
  if (ended.status === 0) return ended;
  throw new Error(failureReason(ended.stderr || ended.stdout));
}

/** Where a program is on the path; undefined where it is not. */
export async function findOnPath(names: readonly string[]): Promise<string | undefined> {
  for (const dir of (process.env.PATH ?? "").split(":")) {
    const there = new Set(await readdir(dir).catch(() => []));
    const name = names.find((each) => there.has(each));
    if (name !== undefined) return join(dir, name);
  }
  return undefined;
}
