import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../document.ts";
import { startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The modules that `--driver` accepts, as real files and packages of a working directory. */

const dir = tempDir();

/** A driver that says which file it comes from. */
const object = (name: string) => `{ subscribe: async () => console.log("loaded", "${name}") }`;
const esm = (name: string) => `export default ${object(name)};`;
const compiled = (name: string) =>
  `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = ${object(name)};`;

const FILES: Readonly<Record<string, string | object>> = {
  "esm.mjs": esm("esm"),
  "plain.cjs": `module.exports = ${object("plain")};`,
  "compiled.cjs": compiled("compiled"),
  "nested.mjs": `import * as inner from "./compiled.cjs"; export default inner;`,
  "function.mjs": `export default ({ baseUrl }) => (${object("function")});`,
  "async.cjs": `exports.default = async () => (${object("async")});`,
  "awaits.mjs": `await new Promise((go) => setTimeout(go, 5)); ${esm("awaits")}`,
  "typed.ts": `const driver: object = ${object("typed")}; export default driver;`,
  "with space#.mjs": esm("space"),
  "folder/package.json": { main: "index.js" },
  "throws.mjs": `throw new Error("no VPN\\nsecond line");`,
  "syntax.mjs": "export default {\n  settle: async () => }\n",
  "imports.mjs": `import "no-such-dependency"; export default {};`,
  "empty.mjs": "export const settle = async () => {};",
  "node_modules/import-only/package.json": { exports: { import: "./index.mjs" } },
  "node_modules/import-only/index.mjs": esm("import-only"),
  "node_modules/dual/package.json": {
    exports: { import: "./index.mjs", require: "./index.cjs" },
  },
  "node_modules/dual/index.mjs": esm("dual, ES module"),
  "node_modules/dual/index.cjs": `module.exports = ${object("dual, CommonJS")};`,
  "node_modules/@acme/test/package.json": { exports: { "./driver": "./lib/driver.cjs" } },
  "node_modules/@acme/test/lib/driver.cjs": compiled("@acme/test/driver"),
  "node_modules/legacy/package.json": { main: "lib.js" },
  "node_modules/legacy/lib.js": `module.exports = () => (${object("legacy")});`,
};

/** Loads drivers in the working directory of the files; prints what each says, or its error. */
const PROGRAM = `
  const { targetIn } = await import(process.argv[1]);
  const flags = { "account-id": "a", "client-id": "b", "client-secret": "c" };
  const said = {};
  console.log = (...words) => words[0] === "loaded" && (said[name] = words[1]);
  let name;
  for (name of JSON.parse(process.argv[2])) {
    const call = { positionals: ["http://127.0.0.1:4"], values: { ...flags, driver: name } };
    try {
      await (await targetIn({ name: "conformance" }, call)).driver.subscribe();
    } catch ({ code, message }) {
      said[name] = code + ": " + message;
    }
  }
  process.stdout.write(JSON.stringify(said));
`;

let said: Readonly<Record<string, string>>;

beforeAll(async () => {
  for (const [name, content] of Object.entries(FILES)) {
    const file = join(dir, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const names = [...LOADED, ...REFUSED].map(([name]) => name);
  const module = pathToFileURL(join(ROOT, "conformance/cli/flags.ts")).href;
  const args = ["--input-type=module", "-e", PROGRAM, module, JSON.stringify(names)];
  const { stdout, stderr } = await startNode(args, { cwd: dir }).ended;
  expect(stderr).toBe("");
  said = JSON.parse(stdout);
});

const LOADED = [
  ["./esm.mjs", "esm"],
  ["esm.mjs", "esm"],
  [join(dir, "esm.mjs"), "esm"],
  [pathToFileURL(join(dir, "esm.mjs")).href, "esm"],
  ["./with space#.mjs", "space"],
  ["./plain.cjs", "plain"],
  ["./compiled.cjs", "compiled"],
  ["./nested.mjs", "compiled"],
  ["./function.mjs", "function"],
  ["./async.cjs", "async"],
  ["./awaits.mjs", "awaits"],
  ["./typed.ts", "typed"],
  ["import-only", "import-only"],
  ["dual", "dual, ES module"],
  ["@acme/test/driver", "@acme/test/driver"],
  ["legacy", "legacy"],
] as const;

const REFUSED = [
  ["./no-such.mjs", "there is no such file or package; txfeed driver init writes a skeleton"],
  ["file:///no/such.mjs", "there is no such file or package"],
  ["no-such-package", "there is no such file or package"],
  ["@acme/test", 'it can\'t be loaded: No "exports" main defined in'],
  ["./folder", "it is a folder; give the path of its module"],
  ["./throws.mjs", "it can't be loaded: no VPN"],
  ["./syntax.mjs", "it can't be loaded: Unexpected token '}'"],
  ["./imports.mjs", "it can't be loaded: Cannot find package 'no-such-dependency' imported from"],
  ["./empty.mjs", "the driver can't be used: it has no default export"],
] as const;

test.each(LOADED)("--driver %s is loaded", (name, expected) => {
  expect(said[name]).toBe(expected);
});

test.each(REFUSED)("--driver %s is refused in one line", (name, expected) => {
  expect(said[name]?.startsWith(`usage: --driver ${name}: `)).toBe(true);
  expect(said[name]).toContain(expected);
  expect(said[name]).not.toContain("\n");
});
