import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import { FileError, reasonOf, TxfeedError, UsageError } from "../errors.ts";
import { printable, shortened } from "../text.ts";
import { type Document, isJson } from "./document.ts";
import { Loader, REF_IN_DATA, refuseExpansion } from "./load.ts";
import { folderSource, gitSource, type Source } from "./source.ts";

const run = promisify(execFile);

const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+@[\w.^~-]+$/;

/**
 * Reads the OpenAPI 3.1 document that a reference names, and checks it with swagger-parser.
 *
 * @param reference A file (JSON or YAML), `GIT_REF:PATH` with the path from the root of the
 * repository, or `PACKAGE@VERSION` as published on npm, whose `openapi.json` is read.
 * @throws {TxfeedError} `file` if it can't be read; `usage` if it is not an OpenAPI 3.1 document.
 */
export async function readDocument(reference: string): Promise<Document> {
  if (existsSync(reference)) return checkedDocument(reference, folderSource(reference));
  if (PACKAGE.test(reference)) return documentFromPackage(reference);
  if (/^[^:]+:./s.test(reference)) {
    return checkedDocument(reference, Promise.resolve(gitSource(reference)));
  }
  const forms = "give a file, GIT_REF:PATH or PACKAGE@VERSION";
  throw new FileError(`${reference} can't be read: there is no such file; ${forms}`);
}

/** Installs the package in a temporary folder, and reads its document. */
async function documentFromPackage(reference: string): Promise<Document> {
  const folder = await mkdtemp(join(tmpdir(), "txfeed-breaks-"));
  try {
    const file = await installPackage(reference, folder);
    const name = reference.slice(0, reference.lastIndexOf("@"));
    const own = join(folder, "node_modules", name);
    return await checkedDocument(reference, folderSource(file, own));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs a package. Returns the path of its `openapi.json`. */
async function installPackage(reference: string, folder: string): Promise<string> {
  const name = reference.slice(0, reference.lastIndexOf("@"));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=peer", "--omit=optional"];
  try {
    await run("npm", ["install", "--prefix", folder, ...flags, reference], { cwd: folder });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line] = stderr.split("\n").filter((one) => !/^npm (error|ERR!) code/.test(one));
    const why = line?.replace(/^npm (error|ERR!) /, "") || reasonOf(error);
    throw new FileError(`npm can't install "${reference}": ${why}`);
  }
  try {
    return createRequire(join(folder, "package.json")).resolve(`${name}/openapi.json`);
  } catch {
    throw new FileError(`${reference} has no export openapi.json`);
  }
}

async function checkedDocument(reference: string, source: Promise<Source>): Promise<Document> {
  try {
    return await validated(await new Loader(await source).load());
  } catch (error) {
    // A package from npm is in a temporary folder.
    const words = reasonOf(error).split(/\s+/);
    const why = words.map((word) => (word.includes("txfeed-breaks-") ? "it" : word)).join(" ");
    throw new UsageError(`${reference} can't be read: ${printable(shortened(why, 500))}`);
  }
}

/** Checks that a loaded document is OpenAPI 3.1. */
async function validated(loaded: unknown): Promise<Document> {
  const { openapi } = isJson(loaded) ? loaded : {};
  if (typeof openapi !== "string" || !openapi.startsWith("3.1.")) {
    const what = openapi === undefined ? "not an OpenAPI document" : `OpenAPI ${String(openapi)}`;
    throw new UsageError(`it is ${what}; breaks compares OpenAPI 3.1`);
  }
  const options = { resolve: { external: false } };
  try {
    // Replaces references to references by direct ones.
    const document: unknown = await SwaggerParser.bundle(loaded as never, options);
    refuseExpansion(document as Document);
    const text = JSON.stringify(document);
    // swagger-parser replaces references in its argument.
    await SwaggerParser.validate(document as never, options);
    return JSON.parse(text.replaceAll(`${JSON.stringify(REF_IN_DATA)}:`, '"$ref":'));
  } catch (error) {
    if (error instanceof TxfeedError) throw error;
    throw new UsageError(`it is not valid OpenAPI 3.1: ${reasonOf(error)}`);
  }
}
