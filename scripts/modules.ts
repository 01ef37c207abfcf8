/** `npm run modules`: counts the modules of this repository that each of five paths loads. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { runScript } from "./run-script.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const PATHS = {
  "delivery to handler": "src/webhooks/receiver.ts",
  "client call": "src/client/index.ts",
  "check to report": "conformance/run/run.ts",
  "purchase to delivery": "src/sandbox/create-sandbox.ts",
  "spec to validator": "scripts/generate/main.ts",
} as const;

/** Returns the modules that an entry imports, at once and in all, both without packages. */
async function modulesOf(entry: string): Promise<{ atOnce: number; all: number }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    outdir: "unused",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const atOnce = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (atOnce.has(file)) continue;
    atOnce.add(file);
    for (const { path, external, kind } of metafile.inputs[file]?.imports ?? []) {
      if (!external && kind !== "dynamic-import") open.push(path);
    }
  }
  return { atOnce: atOnce.size, all: Object.keys(metafile.inputs).length };
}

async function main(): Promise<number> {
  parseArgs();
  console.log(`${"path".padEnd(22)} ${"at once".padStart(8)} ${"in all".padStart(8)}  entry`);
  for (const [name, entry] of Object.entries(PATHS)) {
    const { atOnce, all } = await modulesOf(entry);
    console.log(
      `${name.padEnd(22)} ${String(atOnce).padStart(8)} ${String(all).padStart(8)}  ${entry}`,
    );
  }
  return 0;
}

await runScript(
  { name: "modules", summary: "counts the modules that each of five paths loads" },
  main,
);
