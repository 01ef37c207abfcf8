import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";

/** What each layer may import, besides itself; the first prefix that fits a file is its layer. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  generated: [],
  "src/errors.ts": [],
  "src/nearest.ts": [],
  "src/options.ts": ["src/errors.ts", "src/nearest.ts"],
  // The databases of the sandbox and of the queue.
  "src/sqlite.ts": ["src/errors.ts"],
  // The text helpers of the command line and of the reports.
  "src/text.ts": [],
  // How a server of Node's listens, for whoever starts one.
  "src/listen.ts": ["src/errors.ts"],
  "src/contract": ["generated", "src/errors.ts", "src/nearest.ts"],
  // The browser has its part alone, so that nothing of a server comes along (AUTH-14).
  "src/client/browser": ["src/options.ts"],
  // What needs undici is apart from what needs fetch alone.
  "src/client/undici": ["src/client", "src/errors.ts", "src/options.ts"],
  "src/client": [
    ...["generated", "src/contract"],
    ...["src/errors.ts", "src/options.ts", "src/nearest.ts"],
  ],
  // What needs Node or a framework of it is apart from what runs wherever fetch does.
  "src/webhooks/adapters": ["src/webhooks", "src/errors.ts", "src/options.ts"],
  "src/webhooks/sqlite": ["src/webhooks", "src/errors.ts", "src/options.ts", "src/sqlite.ts"],
  "src/webhooks": ["generated", "src/contract", "src/errors.ts", "src/options.ts"],
  // What needs fast-check is apart from what needs nothing.
  "src/fixtures/arbitraries.ts": ["generated", "src/contract", "src/fixtures", "src/errors.ts"],
  "src/fixtures": ["generated", "src/contract", "src/errors.ts"],
  "src/sandbox": [
    ...["generated", "src/contract", "src/errors.ts", "src/listen.ts", "src/options.ts"],
    "src/sqlite.ts",
  ],
  // What needs the compilers and AJV is apart: only one command loads it.
  "src/breaks": ["src/contract", "src/errors.ts"],
  // The suite for the mock starts the mock.
  "conformance/suite": ["conformance", "src/cli"],
  "conformance/cli": [
    ...["generated", "conformance", "src/cli", "src/contract"],
    ...["src/errors.ts", "src/text.ts"],
  ],
  conformance: [
    ...["generated", "src/contract", "src/client"],
    ...["src/errors.ts", "src/listen.ts", "src/nearest.ts", "src/text.ts"],
  ],
  src: ["generated", "src"],
  // The entry of the program: its table names the commands of both trees.
  bin: ["src/cli", "conformance/cli", "src/errors.ts", "src/text.ts"],
  "spec/library": [],
  // What is measured by the suite is the tests' own.
  scripts: [
    ...["generated", "src/breaks", "src/contract", "src/cli", "src/fixtures", "src/sandbox"],
    ...["src/webhooks", "src/text.ts", "conformance/cli"],
    ...["conformance", "mutation", "test/generate"],
    // Other tools are measured by the labelled changes of the tests.
    "test/breaks/corpus",
  ],
  bench: ["generated", "src", "spec", "scripts"],
};

const LAYERS = Object.keys(MAY_IMPORT);
const layerOf = (file: string) =>
  LAYERS.find((layer) => file === layer || file.startsWith(`${layer}/`));

/** These run wherever fetch does. */
const WITHOUT_NODE = [
  ...["generated", "src/contract", "src/webhooks", "src/fixtures", "src/errors.ts"],
  ...["src/client", "src/client/browser", "src/options.ts", "src/nearest.ts"],
];

const files = [
  "bin",
  "generated",
  "src",
  "conformance",
  "spec/library",
  "scripts",
  "bench",
].flatMap((dir) =>
  readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((file) => /\.(ts|js)$/.test(file) && !file.includes("node_modules")),
);

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const imports = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"\n]+)"/g);
  return [...imports].map(([, name = ""]) => name);
}

test("there are files to look at, in every layer that exists", () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => !layerOf(file))).toEqual([]);
});

test.each(files)("%s imports from its own layer and those below", (file) => {
  const layer = layerOf(file) ?? "";
  const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])];
  const wrong = importsOf(file)
    .filter((name) => name.startsWith("."))
    .map((name) => relative(ROOT, join(ROOT, dirname(file), name)))
    .filter((target) => {
      const at = layerOf(target);
      return !allowed.some((prefix) => at === prefix || target.startsWith(`${prefix}/`));
    });
  expect(wrong).toEqual([]);
});

test.each(files.filter((file) => WITHOUT_NODE.includes(layerOf(file) ?? "")))(
  "%s imports no package and nothing of Node",
  (file) => {
    // The one file that knows openapi-fetch.
    const own = file === "src/client/openapi-client.ts" ? ["openapi-fetch"] : [];
    const foreign = importsOf(file).filter((name) => !name.startsWith("."));
    expect(foreign.filter((name) => !own.includes(name))).toEqual([]);
  },
);

test.each(files.filter((file) => !file.startsWith("generated")))(
  "%s has at most 300 lines, of at most 100 columns",
  (file) => {
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(300);
  },
);

test("the top level has what the project is known by", () => {
  const asked = [
    "package.json",
    "tsconfig.json",
    "spec",
    "generated",
    "src",
    "conformance",
    "test",
  ];
  expect([...asked, "README.md"].filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});
