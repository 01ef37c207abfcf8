import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";

/** A layer: a project in `tsconfig/`, with the layers that it may import. */
interface Layer {
  readonly name: string;
  readonly files: readonly string[];
  /** The layers that it may import. The compiler also accepts those that they reference. */
  readonly references: readonly string[];
  readonly options: ts.CompilerOptions;
  /** Whether it is compiled without the types of Node.js, because it needs only fetch. */
  readonly isPortable: boolean;
}

/** The packages that a portable file, or all files of a folder, may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // Bundled into the sandbox and the fixtures.
  "src/world/": ["zod"],
  "src/client/openapi-client.ts": ["openapi-fetch"],
  "src/fixtures/arbitraries.ts": ["fast-check"],
  "src/webhooks/opentelemetry.ts": ["@opentelemetry/api"],
};

/** The packages that the build bundles into the scripts of the sandbox's pages. */
const PAGE_PACKAGES = ["preact", "preact/hooks"];

const { references } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8"));
const layers: readonly Layer[] = references.map(({ path }: { path: string }) => layerAt(path));

function layerAt(path: string): Layer {
  const file = join(ROOT, path);
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  const { fileNames, options, projectReferences } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(file),
  );
  return {
    name: basename(path, ".json"),
    files: fileNames.map((name) => relative(ROOT, name)),
    references: (projectReferences ?? []).map((reference) => basename(reference.path, ".json")),
    options,
    isPortable: !options.types?.includes("node"),
  };
}

const layerOf = new Map(layers.flatMap((layer) => layer.files.map((file) => [file, layer])));
const files = [...layerOf.keys()].filter((file) => /\.tsx?$/.test(file));
const sources = files.filter((file) => !file.startsWith("test/") && !file.endsWith(".d.ts"));

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const imports = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"\n]+)"/g);
  return [...imports].map(([, name = ""]) => name);
}

/** The files that a file imports statically, including imports of types. */
function staticImportsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const imports = source.matchAll(/^(?:(?:import|export|\}) .*?from |import )"(\.[^"\n]+)"/gm);
  const targets = [...imports].map(([, name = ""]) => join(dirname(file), name));
  // A generator's template may import the file that it generates, under the generator's name.
  return targets.filter((target) => target !== file);
}

/** The groups of files that import each other (strongly connected components), sorted. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reachable = (start: string) => {
    const found = new Set<string>();
    const pending = [start];
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      for (const target of graph.get(file) ?? []) {
        if (!found.has(target)) pending.push(target);
        found.add(target);
      }
    }
    return found;
  };
  const reach = new Map([...graph.keys()].map((file) => [file, reachable(file)]));
  const groups = [...graph.keys()].map((file) =>
    [...(reach.get(file) ?? [])].filter((other) => reach.get(other)?.has(file)).toSorted(),
  );
  const cycles = groups.filter((group) => group.length > 0).map((group) => group.join(" "));
  return [...new Set(cycles)].toSorted().map((cycle) => cycle.split(" "));
}

const FOLDERS = [
  ...["bin", "generated", "src", "conformance"],
  ...["scripts", "mutation", "mutants", "bench", "test"],
];
const tracked = FOLDERS.flatMap((dir) =>
  readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((name) => /\.(tsx?|js)$/.test(name) && !name.includes("node_modules")),
);

test("each TypeScript file belongs to one layer", () => {
  const compiled = layers.flatMap((layer) => layer.files);
  expect(compiled.filter((file, index) => compiled.indexOf(file) !== index)).toEqual([]);
  const outside = tracked.filter((file) => /\.tsx?$/.test(file) && !layerOf.has(file));
  // check:runtimes compiles the consumers of the published package, and bench:types the benchmark.
  const excluded = ["scripts/runtimes/consumer/", "bench/"];
  const missing = outside.filter((file) => !excluded.some((folder) => file.startsWith(folder)));
  expect(missing).toEqual([]);
});

test.each(sources)("%s imports its own layer and those that it references", (file) => {
  const layer = layerOf.get(file);
  const allowed = [layer?.name, ...(layer?.references ?? [])];
  const wrong = importsOf(file)
    .filter((name) => name.startsWith("."))
    .map((name) => relative(ROOT, join(ROOT, dirname(file), name)))
    .filter((target) => layerOf.has(target) && !allowed.includes(layerOf.get(target)?.name));
  expect(wrong).toEqual([]);
});

test.each(sources.filter((file) => layerOf.get(file)?.isPortable))(
  "%s imports no package",
  (file) => {
    const packages = importsOf(file).filter((name) => !name.startsWith("."));
    const isPage = layerOf.get(file)?.name === "sandbox-page";
    const allowed = Object.keys(PACKAGES).flatMap((path) => {
      return file === path || (path.endsWith("/") && file.startsWith(path)) ? PACKAGES[path] : [];
    });
    if (isPage) allowed.push(...PAGE_PACKAGES);
    expect(packages.filter((name) => !allowed.includes(name))).toEqual([]);
  },
);

test("there are no import cycles", () => {
  expect(cyclesOf(new Map(files.map((file) => [file, staticImportsOf(file)])))).toEqual([]);
});

/** The folders of the suite, the lowest first. The root has what all of them use. */
const SUITE = ["wire", "report", "observe", "verbs", "scripts", "checks", "run"];

test.each(SUITE)("conformance/%s imports no folder above it", (folder) => {
  const above = SUITE.slice(SUITE.indexOf(folder) + 1);
  const arrows = files
    .filter((file) => file.startsWith(`conformance/${folder}/`))
    .flatMap((file) => importsOf(file).map((name) => [file, join(dirname(file), name)] as const))
    .filter(([, target]) => above.some((one) => target.startsWith(`conformance/${one}/`)))
    .map((arrow) => arrow.join(" -> "));
  expect(arrows).toEqual([]);
});

/** Files that do not import others, each by the beginnings or names of their paths. */
const FORBIDDEN: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^src\/sandbox\/(?!(control|page)\/|(app|service|sandbox|create-sandbox|index)\.ts$)/,
    /^src\/sandbox\/control\//,
  ],
  [/^src\/sandbox\/control\//, /^src\/sandbox\/(http|page|sdk)\//],
  [/^src\/world\/activity\//, /^src\/world\/enrollment\//],
];

test.each(FORBIDDEN)("no file of %s imports one of %s", (from, to) => {
  const arrows = files
    .filter((file) => from.test(file))
    .flatMap((file) => importsOf(file).map((name) => [file, join(dirname(file), name)] as const))
    .filter(([, target]) => to.test(target));
  expect(arrows).toEqual([]);
});

test("the contract and the conformance suite do not use the model", () => {
  // Both compute settlements, snapshots and matches independently of the model.
  const users = layers.filter(({ references }) => references.includes("model"));
  expect(users.map(({ name }) => name).toSorted()).toEqual([
    "development",
    "fixtures",
    "sandbox",
    "world",
  ]);
});

test.each([
  ["contract", 'Buffer.from("");'],
  ["contract", 'document.createElement("a");'],
  ["contract", 'fetch("");'],
  ["client", 'document.createElement("a");'],
  ["client", 'Buffer.from("");'],
  ["client", 'import { readFileSync } from "node:fs"; readFileSync("");'],
  ["webhooks", "process.exit();"],
  ["sandbox", 'document.createElement("a");'],
  ["model", 'Buffer.from("");'],
  ["model", 'fetch("");'],
])("the layer %s cannot use %s", (name, code) => {
  const options = layers.find((layer) => layer.name === name)?.options;
  const own = { ...options, composite: false, emitDeclarationOnly: false, noEmit: true };
  const host = ts.createCompilerHost(own);
  const { getSourceFile } = host;
  const stray = join(ROOT, "src", "stray.ts");
  host.getSourceFile = (file, target, ...others) =>
    file === stray
      ? ts.createSourceFile(file, `${code}\nexport {};`, target)
      : getSourceFile(file, target, ...others);
  const program = ts.createProgram([stray], own, host);
  expect(program.getSemanticDiagnostics(program.getSourceFile(stray)).length).toBe(1);
});

/** Files that consist of one table. */
const TABLES =
  /\/procedures\.ts$|^src\/world\/scripts\.ts$|^mutation\/mutations\/|^conformance\/scripts\//;

test.each(tracked.filter((file) => !/^(generated|test)\//.test(file)))(
  "%s has at most 400 lines, or 600 as a table, of at most 100 columns",
  (file) => {
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(TABLES.test(file) ? 600 : 400);
  },
);

test("the top level has the required files and folders", () => {
  const required = ["package.json", "tsconfig.json", "README.md"];
  const folders = ["spec", "generated", "src", "conformance", "test"];
  expect([...required, ...folders].filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});
