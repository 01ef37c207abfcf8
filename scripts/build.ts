/**
 * `npm run build`: compiles what is published into `dist/` (or `--out DIR`), and puts the generated
 * files that TypeScript does not compile beside it.
 */
import { spawnSync } from "node:child_process";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { runScript } from "./run-script.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
const COPIED = [
  ...["openapi.json", "openapi.yaml", "arazzo.yaml"],
  ...["validators.js", "validators.d.ts"],
  ...["control-openapi.json", "control-validators.js", "control-validators.d.ts"],
];

/** The style and the script of the HTML report, which reads them at run time. */
const PAGE_ASSETS = "conformance/reports/html/assets";

/** The only module of the client that the conformance suite imports by itself. */
const ADDRESSES = "client/base-address.js";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { out: { type: "string", default: join(ROOT, "dist") } },
  });
  const out = resolve(values.out);
  await rm(out, { recursive: true, force: true });
  const flags = ["-p", join(ROOT, "tsconfig/build.json"), "--outDir", out];
  const { status } = spawnSync(process.execPath, [TSC, ...flags], { stdio: "inherit" });
  if (status !== 0) return status ?? 1;
  for (const name of COPIED) await cp(join(ROOT, "generated", name), join(out, "generated", name));
  await joinContract(join(out, "src/contract/index.js"));
  await joinClient(join(out, "src"));
  await joinTypes(join(out, "src/client"), "openapi-client.d.ts");
  await joinSandbox(out);
  await cp(join(ROOT, PAGE_ASSETS), join(out, PAGE_ASSETS), { recursive: true });
  await trimSourceMaps(out);
  return 0;
}

/** Stack traces stay readable: names are kept, and an uncaught error shows its line of code. */
const JOINED = {
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
 * Makes one small module of the contract's many: a service that starts for a single delivery would
 * wait twice as long for them.
 */
async function joinContract(entry: string): Promise<void> {
  await build({
    ...JOINED,
    entryPoints: [entry],
    outfile: entry,
    // What checks a history is loaded when the first one is.
    external: ["./history/index.js"],
  });
}

/**
 * Makes one small module of each of the client's exports. What several of them need is in modules
 * that they share, so that a class is one class wherever it is taken from, and so is what
 * `instanceof` says. The modules that were joined go: by them a class would be there twice.
 * openapi-fetch is joined in, too: to find and read the package would take longer than all else.
 */
async function joinClient(src: string): Promise<void> {
  const files = await readdir(join(src, "client"), { recursive: true });
  const exported = files.filter((file) => basename(file) === "index.js");
  const { metafile } = await build({
    ...JOINED,
    absWorkingDir: src,
    entryPoints: ["errors.js", ADDRESSES, ...exported.map((file) => join("client", file))],
    outdir: src,
    outbase: src,
    splitting: true,
    chunkNames: "client/shared-[hash]",
    external: ["undici"],
    nodePaths: [join(ROOT, "node_modules")],
    plugins: [CONTRACT_APART],
    metafile: true,
  });
  await tidyUp(src, metafile, "client");
}

/** Puts the types of the packages that a declaration file imports beside it, with theirs. */
async function joinTypes(folder: string, file: string, source = join(folder, file)): Promise<void> {
  const types = await readFile(source, "utf8");
  const packages = /(?<=from ["'])(?:@[\w-]+\/)?[\w-]+(?=["'])/g;
  const fileOf = (name: string) => name.replace("/", "-");
  const joined = types.replace(packages, (name) => `./${fileOf(name)}.js`);
  await writeFile(join(folder, file), joined);
  for (const [name] of types.matchAll(packages)) {
    const entry = fileURLToPath(import.meta.resolve(name));
    await joinTypes(
      folder,
      `${fileOf(name)}.d.ts`,
      entry.replace(/(?=\.m?js$)/, ".d").replace(/js$/, "ts"),
    );
    await copyLicence(name, folder);
  }
}

/** Removes the modules of a folder that were joined, and puts the licences of packages there. */
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

/** Puts the licence of a package into a folder. */
async function copyLicence(name: string, folder: string): Promise<void> {
  const at = join(ROOT, "node_modules", name);
  const licence = (await readdir(at)).find((file) => /^licen[cs]e/i.test(file)) ?? "LICENSE";
  await cp(join(at, licence), join(folder, `LICENSE-${name.replace(/@/, "").replace("/", "-")}`));
}

/**
 * Drops the text of generated files and of other packages from the source maps: it would be a
 * quarter of the package, and a stack trace needs the file's name and line alone.
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

/** The contract is a module of its own, which the client loads when it is to validate an answer. */
const CONTRACT_APART: Plugin = {
  name: "contract-apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.\/contract\/index\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Makes one module of the sandbox, with the packages that it is made of, so that it starts at once
 * and the package needs none; and a small one of the client that drives it from elsewhere. Errors
 * and contract stay the package's own. The files of the page and of the SDK stand-in are read from
 * beside the module that reads them, so they move to where the joined one is.
 */
async function joinSandbox(out: string): Promise<void> {
  const src = join(out, "src");
  const { metafile } = await build({
    ...JOINED,
    platform: "node",
    absWorkingDir: src,
    entryPoints: ["sandbox/index.js", "sandbox/control/client.js"],
    // What stays apart is named from here, also by the modules that both share.
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

await runScript("build", main);
