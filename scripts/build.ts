/**
 * `npm run build`: compiles the published code into `dist/` (or `--out DIR`), and copies generated
 * files that TypeScript does not compile.
 */
import { spawnSync } from "node:child_process";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { renderControlTypes } from "./control-types.ts";
import { runScript } from "./run-script.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
const COPIED = [
  ...["openapi.json", "openapi.yaml", "arazzo.yaml"],
  ...["state-diagrams.json", "validators.js", "validators.d.ts"],
];

/** The style sheet and the script of the HTML report, which loads them at run time. */
const PAGE_ASSETS = "conformance/report/html/assets";

/** The modules of the client that the conformance suite imports directly. */
const OF_CONFORMANCE = ["client/base-address.js", "client/retry.js"];

const FLAGS = {
  out: { type: "string", value: "FOLDER", help: "write the package to FOLDER (default: dist)" },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  const out = resolve(values.out ?? join(ROOT, "dist"));
  await rm(out, { recursive: true, force: true });
  const flags = ["-p", join(ROOT, "tsconfig/build.json"), "--outDir", out];
  const { status } = spawnSync(process.execPath, [TSC, ...flags], { stdio: "inherit" });
  if (status !== 0) return status ?? 1;
  for (const name of COPIED) await cp(join(ROOT, "generated", name), join(out, "generated", name));
  await bundleContract(join(out, "src/contract/index.js"));
  await bundleClient(join(out, "src"));
  await copyTypes(join(out, "src/client"), "openapi-client.d.ts");
  await bundleSandbox(out);
  await publishSandboxTypes(join(out, "src/sandbox"));
  await cp(join(ROOT, PAGE_ASSETS), join(out, PAGE_ASSETS), { recursive: true });
  await trimSourceMaps(out);
  return 0;
}

/** Keeps names and lines, so that stack traces are readable. */
const BUNDLE = {
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 200,
  sourcemap: true,
  allowOverwrite: true,
  logLevel: "warning",
} as const satisfies BuildOptions;

/**
 * Bundles the contract into one module, because loading many modules doubles the start time of a
 * service that starts for a single delivery.
 */
async function bundleContract(entry: string): Promise<void> {
  await build({
    ...BUNDLE,
    entryPoints: [entry],
    outfile: entry,
    // Loaded with the first history.
    external: ["./history/index.js"],
  });
}

/**
 * Bundles each export of the client into one module. Shared code goes to shared modules, so that
 * `instanceof` works across exports; the bundled modules are removed for the same reason.
 * openapi-fetch is bundled too, because loading the package would take longer than everything else.
 */
async function bundleClient(src: string): Promise<void> {
  const files = await readdir(join(src, "client"), { recursive: true });
  const exported = files.filter((file) => basename(file) === "index.js");
  const { metafile } = await build({
    ...BUNDLE,
    absWorkingDir: src,
    entryPoints: ["errors.js", ...OF_CONFORMANCE, ...exported.map((file) => join("client", file))],
    outdir: src,
    outbase: src,
    splitting: true,
    chunkNames: "client/shared-[hash]",
    external: ["undici"],
    nodePaths: [join(ROOT, "node_modules")],
    plugins: [SEPARATE_CONTRACT],
    metafile: true,
  });
  await tidyUp(src, metafile, "client");
}

/** Copies the types of packages that a declaration file imports next to it, recursively. */
async function copyTypes(folder: string, file: string, source = join(folder, file)): Promise<void> {
  const types = await readFile(source, "utf8");
  const packages = /(?<=from ["'])(?:@[\w-]+\/)?[\w-]+(?=["'])/g;
  const fileOf = (name: string) => name.replace("/", "-");
  const joined = types.replace(packages, (name) => `./${fileOf(name)}.js`);
  await writeFile(join(folder, file), joined);
  for (const [name] of types.matchAll(packages)) {
    const entry = fileURLToPath(import.meta.resolve(name));
    await copyTypes(
      folder,
      `${fileOf(name)}.d.ts`,
      entry.replace(/(?=\.m?js$)/, ".d").replace(/js$/, "ts"),
    );
    await copyLicence(name, folder);
  }
}

/** Removes the bundled modules of a folder, and adds the licences of bundled packages. */
async function tidyUp(src: string, { inputs, outputs }: Metafile, folder: string): Promise<void> {
  const files = Object.keys(inputs);
  const joined = files.filter((file) => file.startsWith(`${folder}/`) && !(file in outputs));
  for (const file of joined) {
    await rm(join(src, file));
    await rm(join(src, `${file}.map`));
  }
  const packages = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  for (const name of new Set(packages.filter((found) => found !== undefined))) {
    await copyLicence(name, join(src, folder));
  }
}

/** Copies the licence of a package into a folder. */
async function copyLicence(name: string, folder: string): Promise<void> {
  const at = join(ROOT, "node_modules", name);
  const licence = (await readdir(at)).find((file) => /^licen[cs]e/i.test(file)) ?? "LICENSE";
  await cp(join(at, licence), join(folder, `LICENSE-${name.replace(/@/, "").replace("/", "-")}`));
}

/**
 * Removes the text of generated files and other packages from the source maps. It would be a
 * quarter of the package, and a stack trace needs only file names and lines.
 */
async function trimSourceMaps(out: string): Promise<void> {
  const files = await readdir(out, { recursive: true });
  for (const file of files.filter((name) => name.endsWith(".js.map"))) {
    const map: SourceMap = JSON.parse(await readFile(join(out, file), "utf8"));
    const texts = map.sources.map((source, at) =>
      /(^|\/)(node_modules|generated)\//.test(source) ? null : (map.sourcesContent[at] ?? null),
    );
    await writeFile(join(out, file), JSON.stringify({ ...map, sourcesContent: texts }));
  }
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
}

/** Keeps the contract a separate module, which the client loads to validate a response. */
const SEPARATE_CONTRACT: Plugin = {
  name: "contract-apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.\/contract\/index\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Bundles the sandbox and its packages into one module, so that it starts fast and the package has
 * no dependencies, and its control client into another. Errors and the contract stay shared
 * modules. The assets move next to the bundle, which reads them from its own folder.
 */
async function bundleSandbox(out: string): Promise<void> {
  const src = join(out, "src");
  const { metafile } = await build({
    ...BUNDLE,
    platform: "node",
    absWorkingDir: src,
    entryPoints: ["sandbox/index.js", "sandbox/control/client.js"],
    // External paths are relative to this folder, also in shared modules.
    outdir: join(src, "sandbox"),
    outbase: join(src, "sandbox"),
    splitting: true,
    chunkNames: "shared-[hash]",
    nodePaths: [join(ROOT, "node_modules")],
    external: [join(src, "errors.js"), join(src, "contract/*"), join(out, "generated/*")],
    metafile: true,
  });
  await tidyUp(src, metafile, "sandbox");
  const sources = join(ROOT, "src/sandbox");
  const files = await readdir(sources, { recursive: true });
  for (const file of files.filter((name) => basename(dirname(name)) === "assets")) {
    const copy = join(src, "sandbox/assets", basename(file));
    await cp(join(sources, file), copy, { force: false, errorOnExist: true });
  }
}

/**
 * Replaces the types of the control API, and removes the declarations that no export of the sandbox
 * refers to: they import zod, which is not in the package.
 */
async function publishSandboxTypes(folder: string): Promise<void> {
  await writeFile(join(folder, "control/types.d.ts"), await renderControlTypes());
  const kept = new Set(["index.d.ts", "control/client.d.ts"]);
  for (const file of kept) {
    const text = await readFile(join(folder, file), "utf8");
    for (const [, name = ""] of text.matchAll(/from "(\.[^"]+)\.ts"/g)) {
      const target = join(dirname(file), `${name}.d.ts`);
      if (!target.startsWith("..")) kept.add(target);
    }
  }
  const files = await readdir(folder, { recursive: true });
  const dropped = files.filter((file) => file.endsWith(".d.ts") && !kept.has(file));
  for (const file of dropped) await rm(join(folder, file));
}

const summary = "compiles and bundles the package";
await runScript({ name: "build", summary, flags: FLAGS }, main);
