import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import { parse as parseYaml } from "yaml";
import { FileError, reasonOf, UsageError } from "../errors.ts";
import type { Document } from "./document.ts";

const run = promisify(execFile);

const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+@[\w.^~-]+$/;
const NOT_OPENAPI = "is not an OpenAPI document";
const COMPARED = "breaks compares OpenAPI 3.1";
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads the OpenAPI 3.1 document that a reference names, and checks it with swagger-parser.
 *
 * @param reference A file (JSON or YAML), `GIT_REF:PATH` with the path from the root of the
 * repository, or `PACKAGE@VERSION` as published on npm, whose `openapi.json` is read.
 * @throws {TxfeedError} `file` if it can't be read; `usage` if it is not an OpenAPI 3.1 document.
 */
export async function readDocument(reference: string): Promise<Document> {
  if (existsSync(reference)) return parseReference(reference, reference);
  if (PACKAGE.test(reference)) return documentFromPackage(reference);
  if (/^[^:]+:./s.test(reference))
    return parseReference(reference, await documentFromGit(reference));
  const forms = "give a file, GIT_REF:PATH or PACKAGE@VERSION";
  throw new FileError(`${reference} can't be read: there is no such file; ${forms}`);
}

async function documentFromGit(reference: string): Promise<Document> {
  const text = await readFromGit(reference);
  try {
    return reference.endsWith(".json") ? JSON.parse(text) : parseYaml(text);
  } catch (error) {
    throw new UsageError(`${reference} can't be read: ${oneLine(reasonOf(error))}`);
  }
}

/**
 * The text of a file in git.
 *
 * @param reference `GIT_REF:PATH`.
 * @param folder The folder to run git in; the current one by default.
 * @throws {TxfeedError} `file` if git can't show it.
 */
export async function readFromGit(reference: string, folder = "."): Promise<string> {
  try {
    const args = ["-C", folder, "show", "--end-of-options", reference];
    const { stdout } = await run("git", args, { maxBuffer: MAX_BYTES });
    return stdout;
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [line = ""] = stderr.replace(/^fatal: /, "").split("\n");
    throw new FileError(`git can't show "${reference}": ${line || reasonOf(error)}`);
  }
}

/** Installs the package in a temporary folder, and reads its document. */
async function documentFromPackage(reference: string): Promise<Document> {
  const folder = await mkdtemp(join(tmpdir(), "txfeed-breaks-"));
  try {
    return await parseReference(reference, await installPackage(reference, folder));
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

async function parseReference(reference: string, file: string | Document): Promise<Document> {
  let document: Document;
  try {
    // References to other files are followed, but not those to other hosts.
    const bundled: unknown = await SwaggerParser.bundle(file as string, {
      resolve: { http: false },
    });
    document = bundled as Document;
  } catch (error) {
    const why = oneLine(reasonOf(error));
    const isOther = /is not a valid (JSON Schema|OpenAPI API definition)$/i.test(why);
    const problem = isOther ? `${NOT_OPENAPI}; ${COMPARED}` : `can't be read: ${why}`;
    throw new UsageError(`${reference} ${problem}`);
  }
  const { openapi } = document;
  if (typeof openapi !== "string" || !openapi.startsWith("3.1.")) {
    const problem = openapi === undefined ? NOT_OPENAPI : `is OpenAPI ${String(openapi)}`;
    throw new UsageError(`${reference} ${problem}; ${COMPARED}`);
  }
  try {
    // swagger-parser replaces references in its argument.
    await SwaggerParser.validate(structuredClone(document) as never);
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error));
    throw new UsageError(`${reference} is not valid OpenAPI 3.1: ${why}`);
  }
  return document;
}

function oneLine(text: string): string {
  // A package from npm is in a temporary folder.
  const words = text.split(/\s+/).map((word) => (word.includes("txfeed-breaks-") ? "it" : word));
  return words.join(" ").trim().slice(0, 300);
}
