import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { median, rotated } from "./measure.ts";
import { measuredPayloads } from "./payloads.ts";
import { atMost } from "./report.ts";
import { schemas } from "./schemas.ts";
import type { Section } from "./section.ts";

const run = promisify(execFile);
const BENCH = fileURLToPath(new URL(".", import.meta.url));
const BUILD_SCRIPT = fileURLToPath(new URL("../scripts/build.ts", import.meta.url));
const EVENT = "transaction.updated";
const LIMIT_MS = 8;
const REFUSED = `throw new Error("a sound body was refused");`;

/** Each program parses the same transaction; what it does besides is what is measured. */
function program(imports: string, check: string): string {
  const text = JSON.stringify(JSON.stringify(measuredPayloads[EVENT].body));
  return `${imports}
const body = JSON.parse(${text});
${check}
const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system) / 1000));
`;
}

function peerProgram(name: string): string {
  const imports = `import { ${name} } from "./contestants/${name}.ts";`;
  const check = `const checks = await ${name}.setUp(${JSON.stringify(schemas)});
if (checks["${EVENT}"](body) !== 0) ${REFUSED}`;
  return program(imports, check);
}

/** Writes a program into one file with what it imports, as a service would be bundled. */
async function bundle(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: BENCH, loader: "ts", sourcefile: "program.ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "silent",
  });
}

/** The process time of a program up to its end; user and system, in milliseconds. */
async function processMs(file: string): Promise<number> {
  const { stdout } = await run(process.execPath, [file]);
  return Number(stdout);
}

async function prepare(folder: string): Promise<Record<string, string>> {
  // As in the package: without it Node would first take each module for CommonJS.
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const dist = join(folder, "dist");
  await run(process.execPath, [BUILD_SCRIPT, "--out", dist]);
  const entry = pathToFileURL(join(dist, "src/contract/index.js"));
  const check = `if (!validateEvent("${EVENT}", body).ok) ${REFUSED}`;
  const files = {
    bare: join(folder, "bare.mjs"),
    "txfeed, as built": join(folder, "txfeed.mjs"),
    "ajv at run time, bundled": join(folder, "ajv.mjs"),
    "zod 4, bundled": join(folder, "zod.mjs"),
  };
  await writeFile(files.bare, program("", ""));
  const imports = `import { validateEvent } from "${entry}";`;
  await writeFile(files["txfeed, as built"], program(imports, check));
  await bundle(peerProgram("ajv"), files["ajv at run time, bundled"]);
  await bundle(peerProgram("zod"), files["zod 4, bundled"]);
  return files;
}

/** The process time of an import and the first validation, over a process that only parses. */
export const coldStart: Section = async ({ isQuick }) => {
  const folder = await mkdtemp(join(tmpdir(), "txfeed-bench-"));
  try {
    const { bare = "", ...others } = await prepare(folder);
    const bareMs: number[] = [];
    const addedMs = new Map<string, number[]>(Object.keys(others).map((name) => [name, []]));
    for (let turn = 0; turn < (isQuick ? 3 : 25); turn += 1) {
      const alone = await processMs(bare);
      bareMs.push(alone);
      for (const [name, file] of rotated(Object.entries(others), turn)) {
        addedMs.get(name)?.push((await processMs(file)) - alone);
      }
    }
    const rows = [...addedMs].map(([name, values]) => [name, millisecondsText(median(values))]);
    const own = median(addedMs.get("txfeed, as built") ?? []);
    const title = "Import and first validation, over a process that only parses";
    const notes = [`The process that only parses takes ${millisecondsText(median(bareMs))}.`];
    return {
      tables: [{ title, columns: ["process time"], rows, notes }],
      targets: [atMost("import and first validation", LIMIT_MS, own, millisecondsText)],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

function millisecondsText(value: number): string {
  return `${value.toFixed(1)} ms`;
}
