/**
 * `npm run build`: compiles what is published into `dist/` (or `--out DIR`), and puts the generated
 * files that TypeScript does not compile beside it.
 */
import { spawnSync } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { runScript } from "./program.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
const COPIED = [
  ...["openapi.json", "openapi.yaml"],
  ...["check.js", "check.d.ts", "validators.js", "validators.d.ts"],
];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { out: { type: "string", default: join(ROOT, "dist") } },
  });
  const out = resolve(values.out);
  await rm(out, { recursive: true, force: true });
  const flags = ["-p", join(ROOT, "tsconfig.build.json"), "--outDir", out];
  const { status } = spawnSync(process.execPath, [TSC, ...flags], { stdio: "inherit" });
  if (status !== 0) return status ?? 1;
  for (const name of COPIED) await cp(join(ROOT, "generated", name), join(out, "generated", name));
  await joinContract(join(out, "src/contract/index.js"));
  return 0;
}

/**
 * Makes one small module of the contract's many: a service that starts for a single delivery would
 * wait twice as long for them.
 */
async function joinContract(entry: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile: entry,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    minify: true,
    // What checks a history is loaded when the first one is.
    external: ["./history/index.js"],
    logLevel: "warning",
  });
}

await runScript("build", main);
