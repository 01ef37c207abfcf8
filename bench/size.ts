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

/** The part of the contract that an event consumer imports: every validator and every rule. */
const TXFEED = `export { validateEvent } from "../src/contract/index.ts";`;

/** The entry module of each bundle, by its name in the report. */
const ENTRIES: Readonly<Record<string, () => string>> = {
  "txfeed, validateEvent: 13 events, schema and rules": () => TXFEED,
  "txfeed/contract, complete": () => `export * from "../src/contract/index.ts";`,
  "ajv, standalone: 13 events": standalone,
  "ajv, compiling at run time": library("ajv"),
  "@exodus/schemasafe, compiling at run time": library("schemasafe"),
  "typebox, compiling at run time": library("typebox"),
  "ata-validator, compiling at run time": library("ata"),
  "zod 4, building at run time": library("zod"),
  "valibot, building at run time": library("valibot"),
  "arktype, building at run time": library("arktype"),
};

function library(name: string): () => string {
  return () => `export * from "./validation/libraries/${name}.ts";`;
}

/** AJV's own standalone code for every event. */
function standalone(): string {
  const ajv = new Ajv2020({
    strict: false,
    formats,
    code: { source: true, esm: true, formats: _`formats` },
  });
  ajv.addSchema({ $id: "contract", components: contract.components });
  // Deduplicate: AJV would compile a schema that two events share twice.
  const references = new Set(contract.references.map(({ $ref }) => $ref));
  const names = [...references].map(($ref, at) => [`event${at}`, `contract${$ref}`]);
  const code = standaloneCode(ajv, Object.fromEntries(names));
  const imports = `import { formats } from "./validation/libraries/formats.ts";`;
  return `${imports}\n${code.replace('"use strict";', "")}`;
}

// Node.js and TypeScript disagree about the default export of this CommonJS module.
const standaloneCode = (typeof standaloneModule === "function"
  ? standaloneModule
  : (standaloneModule as { default: unknown }).default) as unknown as (
  ajv: Ajv2020,
  exported: Record<string, string>,
) => string;

/** The size of the bundle of each entry. */
export const size: Section = async () => {
  const rows: string[][] = [];
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const bundled = await Promise.resolve()
      .then(() => bundleSize(entry(), BENCH))
      .catch((error: Error) => (entry() === TXFEED ? Promise.reject(error) : error));
    if (bundled instanceof Error) rows.push([name, "cannot be bundled"]);
    else rows.push([name, kilobytesText(bundled.minified), kilobytesText(bundled.gzipped)]);
  }
  const { gzipped } = await bundleSize(TXFEED, BENCH);
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
