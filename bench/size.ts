import { fileURLToPath } from "node:url";
import { _ } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneModule from "ajv/dist/standalone/index.js";
import { bundleSize } from "../scripts/bundle-size.ts";
import { clientSizes } from "./client/size.ts";
import { atMost, kilobytesText } from "./report.ts";
import { contract } from "./schemas.ts";
import type { Section } from "./section.ts";
import { formats } from "./validation/libraries/formats.ts";

const BENCH = fileURLToPath(new URL(".", import.meta.url));
const LIMIT_BYTES = 16_000;

/** What a consumer of events needs of the contract: a validator of each, and every rule. */
const OURS = `export { validateEvent } from "../src/contract/index.ts";`;

/** What is bundled, by its name in the report. */
const ENTRIES: Readonly<Record<string, () => string>> = {
  "txfeed, validateEvent: 13 events, schema and rules": () => OURS,
  "txfeed/contract, all of it": () => `export * from "../src/contract/index.ts";`,
  "ajv, standalone as it comes: 13 events": standalone,
  "ajv, compiling at run time": library("ajv"),
  "@exodus/schemasafe, compiling at run time": library("schemasafe"),
  "typebox, compiling at run time": library("typebox"),
  "ata-validator, compiling at run time": library("ata"),
  "zod 4, with 3 events": library("zod"),
  "valibot, with 3 events": library("valibot"),
  "arktype, with 3 events": library("arktype"),
};

function library(name: string): () => string {
  return () => `export * from "./contestants/${name}.ts";`;
}

/** AJV's own precompiled code for every event. */
function standalone(): string {
  const ajv = new Ajv2020({
    strict: false,
    formats,
    code: { source: true, esm: true, formats: _`formats` },
  });
  ajv.addSchema({ $id: "contract", components: contract.components });
  // A schema that two events share is compiled twice if it goes by two names.
  const references = new Set(contract.references.map(({ $ref }) => $ref));
  const names = [...references].map(($ref, at) => [`event${at}`, `contract${$ref}`]);
  const code = standaloneCode(ajv, Object.fromEntries(names));
  const imports = `import { formats } from "./validation/libraries/formats.ts";`;
  return `${imports}\n${code.replace('"use strict";', "")}`;
}

// AJV's CommonJS default export, as Node and TypeScript each see it.
const standaloneCode = (typeof standaloneModule === "function"
  ? standaloneModule
  : (standaloneModule as { default: unknown }).default) as unknown as (
  ajv: Ajv2020,
  exported: Record<string, string>,
) => string;

/** What a bundle of each weighs. */
export const size: Section = async () => {
  const rows: string[][] = [];
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const made = await Promise.resolve()
      .then(() => bundleSize(entry(), BENCH))
      .catch((error: Error) => (entry() === OURS ? Promise.reject(error) : error));
    if (made instanceof Error) rows.push([name, "can't be bundled"]);
    else rows.push([name, kilobytesText(made.minified), kilobytesText(made.gzipped)]);
  }
  const { gzipped } = await bundleSize(OURS, BENCH);
  const what = "validators and rules, minified and gzipped";
  const client = await clientSizes();
  return {
    tables: [
      { title: "Size of a bundle", columns: ["minified", "gzipped"], rows },
      ...client.tables,
    ],
    targets: [atMost(what, LIMIT_BYTES, gzipped, kilobytesText), ...client.targets],
  };
};
