import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { versionOf } from "../package-tarball.ts";
import { DOCUMENT, type Tool, type ToolFolder } from "./tool.ts";

const TSC = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));

/** Compiler options of a strict project, without checks of the tools' declaration files. */
const STRICT = [
  ...["--noEmit", "--strict", "--skipLibCheck", "--target", "ES2022", "--module", "ESNext"],
  ...["--moduleResolution", "Bundler", "--allowImportingTsExtensions"],
  ...["--lib", "ES2022,DOM,DOM.Iterable"],
];

/** The package that every generator or its generated code requires. */
const TYPESCRIPT = { typescript: versionOf("typescript") };

/** kubb 4, because version 5 has no plugins for types and clients on npm. */
const KUBB = Object.fromEntries(
  ["cli", "core", "plugin-oas", "plugin-ts", "plugin-client"].map((name) => [
    `@kubb/${name}`,
    "4.39.3",
  ]),
);

/** Tools that generate a TypeScript client, which must compile. */
export const generators: readonly Tool[] = [
  generator("Hey API", { "@hey-api/openapi-ts": "0.99.0" }, async (folder) => {
    await folder.bin("openapi-ts", ["-i", DOCUMENT, "-o", "out", "--no-log-file"]);
    const client = await readFile(join(folder.dir, "out/client.gen.ts"), "utf8");
    if (/baseUrl: '/.test(client)) throw new Error("the client calls a server by default");
  }),
  generator("orval 7", { orval: "7.21.0" }, runOrval),
  generator("orval 8", { orval: "8.38.0" }, runOrval),
  generator("oazapfts", { oazapfts: "7.5.0", "@oazapfts/runtime": "1.2.0" }, async (folder) => {
    await folder.bin("oazapfts", [DOCUMENT, "api.ts"]);
  }),
  generator("swagger-typescript-api", { "swagger-typescript-api": "13.13.0" }, async (folder) => {
    await folder.bin("swagger-typescript-api", ["generate", "-p", DOCUMENT, "-o", "out"]);
  }),
  generator("kubb", KUBB, async (folder) => {
    await folder.write("kubb.config.js", KUBB_CONFIG);
    await folder.bin("kubb", ["generate", "--config", "kubb.config.js"]);
  }),
];

function generator(
  name: string,
  packages: Readonly<Record<string, string>>,
  generate: (folder: ToolFolder) => Promise<void>,
): Tool {
  const [version = ""] = Object.values(packages);
  return {
    ...{ name, version, packages: { ...packages, ...TYPESCRIPT } },
    check: async (folder) => {
      await generate(folder);
      const files = await generatedIn(folder);
      if (files.length === 0) throw new Error("it generated no files");
      await folder.run(process.execPath, [TSC, ...STRICT, ...files]);
      return `the client compiles (${files.length} ${files.length === 1 ? "file" : "files"})`;
    },
  };
}

async function runOrval(folder: ToolFolder): Promise<void> {
  await folder.bin("orval", ["--input", DOCUMENT, "--output", "out/api.ts", "--client", "fetch"]);
}

async function generatedIn({ dir }: ToolFolder): Promise<string[]> {
  const names = await readdir(dir, { recursive: true });
  return names.filter((name) => name.endsWith(".ts") && !name.startsWith("node_modules/"));
}

const KUBB_CONFIG = `
import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  input: { path: ${JSON.stringify(DOCUMENT)} },
  output: { path: "./out", format: false, lint: false },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: "fetch" })],
});
`;
