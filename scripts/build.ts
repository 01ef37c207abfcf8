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
import { bundlePage } from "./bundle-page.ts";
import { controlTypes } from "./control-types.ts";
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
  await bundleFixtures(out);
  await publishTypes(out);
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
 * modules. The assets and the pages' scripts move next to the bundle, which reads them from its own
 * folder.
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
  for (const [name, text] of await bundlePage()) {
    await writeFile(join(src, "sandbox/assets", name), text, { flag: "wx" });
  }
  await copyLicence("preact", join(src, "sandbox"));
}

/**
 * Bundles the fixtures with the verbs and zod, so that they need no package and run in browsers.
 * Errors and the contract stay shared modules.
 */
async function bundleFixtures(out: string): Promise<void> {
  const src = join(out, "src");
  const { metafile } = await build({
    ...BUNDLE,
    absWorkingDir: src,
    entryPoints: ["fixtures/index.js", "fixtures/arbitraries.js"],
    outdir: join(src, "fixtures"),
    outbase: join(src, "fixtures"),
    splitting: true,
    chunkNames: "shared-[hash]",
    nodePaths: [join(ROOT, "node_modules")],
    external: [
      ...[join(src, "errors.js"), join(src, "contract/*"), join(out, "generated/*")],
      "fast-check",
    ],
    metafile: true,
  });
  await tidyUp(src, metafile, "fixtures");
}

/** The types of the exports that contain the verbs. */
const WITH_VERBS = [
  ...["src/sandbox/index.d.ts", "src/sandbox/control/client.d.ts"],
  ...["src/fixtures/index.d.ts", "src/fixtures/arbitraries.d.ts"],
];

/**
 * Replaces the types of the verbs and of the control API, and removes the declarations next to them
 * that no export refers to: they import zod, which is not in the package. The modules of the verbs
 * go, too, because the sandbox and the fixtures contain them.
 */
async function publishTypes(out: string): Promise<void> {
  for (const [module, text] of Object.entries(await controlTypes())) {
    await writeFile(join(out, `${module}.d.ts`), text);
  }
  const kept = new Set(WITH_VERBS);
  for (const file of kept) {
    const text = await readFile(join(out, file), "utf8");
    for (const [, name = ""] of text.matchAll(/(?<=from |import\()"(\.[^"]+)\.[jt]s"/g)) {
      kept.add(join(dirname(file), `${name}.d.ts`));
    }
  }
  for (const folder of ["src/sandbox", "src/fixtures", "src/world"]) {
    const gone = folder === "src/world" ? /\.(d\.ts|js|map)$/ : /\.d\.ts$/;
    const files = await readdir(join(out, folder), { recursive: true });
    for (const file of files.filter((name) => gone.test(name) && !kept.has(join(folder, name)))) {
      await rm(join(out, folder, file));
    }
  }
}

const summary = "compiles and bundles the package";
await runScript({ name: "build", summary, flags: FLAGS }, main);
