import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { withBuiltPackage } from "./built-package.ts";
import { measuredPayloads } from "./payloads.ts";
import { millisecondsText, PRINT_PROCESS_MS, processTimes } from "./process-time.ts";
import { atMost } from "./report.ts";
import { schemas } from "./schemas.ts";
import type { Section } from "./section.ts";

const BENCH = fileURLToPath(new URL(".", import.meta.url));
const EVENT = "transaction.updated";
const TXFEED = "txfeed, as built";
const LIMIT_MS = 8;
const REJECTED = `throw new Error("a valid body was rejected");`;

/** Builds a program that parses a transaction and then runs `check`, which is measured. */
function program(imports: string, check: string): string {
  const text = JSON.stringify(JSON.stringify(measuredPayloads[EVENT].body));
  return `${imports}
const body = JSON.parse(${text});
${check}
${PRINT_PROCESS_MS}`;
}

function libraryProgram(name: string): string {
  const imports = `import { ${name} } from "./validation/libraries/${name}.ts";`;
  const check = `const checks = await ${name}.setUp(${JSON.stringify(schemas)});
if (checks["${EVENT}"](body) !== 0) ${REJECTED}`;
  return program(imports, check);
}

/** Bundles a program with its imports into one file, as a service is bundled. */
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

async function prepare(folder: string): Promise<Record<string, string>> {
  const entry = pathToFileURL(join(folder, "dist/src/contract/index.js"));
  const check = `if (!validateEvent("${EVENT}", body).ok) ${REJECTED}`;
  const files = {
    bare: join(folder, "bare.mjs"),
    [TXFEED]: join(folder, "txfeed.mjs"),
    "ajv at run time, bundled": join(folder, "ajv.mjs"),
    "zod 4, bundled": join(folder, "zod.mjs"),
  };
  await writeFile(files.bare, program("", ""));
  const imports = `import { validateEvent } from "${entry}";`;
  await writeFile(files[TXFEED], program(imports, check));
  await bundle(libraryProgram("ajv"), files["ajv at run time, bundled"]);
  await bundle(libraryProgram("zod"), files["zod 4, bundled"]);
  return files;
}

/** CPU time of the import and the first validation, added to a process that only parses. */
export const coldStart: Section = ({ isQuick }) =>
  withBuiltPackage(async (folder) => {
    const { bare = "", ...others } = await prepare(folder);
    const { bareMs, addedMs } = await processTimes(bare, others, isQuick ? 3 : 25);
    const rows = Object.entries(addedMs).map(([name, value]) => [name, millisecondsText(value)]);
    const own = addedMs[TXFEED] ?? Number.NaN;
    const title = "Import and first validation, added to a process that only parses";
    const notes = [`The process that only parses takes ${millisecondsText(bareMs)}.`];
    return {
      tables: [{ title, columns: ["process time"], rows, notes }],
      targets: [atMost("import and first validation", LIMIT_MS, own, millisecondsText)],
    };
  });
