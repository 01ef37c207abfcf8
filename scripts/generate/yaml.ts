import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, YAMLParseError } from "yaml";
import { ScriptError } from "../run-script.ts";

/**
 * Reads a YAML file, merge keys (`<<`) included. An empty file gives an empty object.
 *
 * @throws {ScriptError} One line: the file and its first error.
 */
export async function readYaml<T>(root: string, file: string): Promise<T> {
  try {
    return parse(await readFile(join(root, file), "utf8"), { merge: true }) ?? {};
  } catch (error) {
    if (error instanceof YAMLParseError) {
      const [line] = error.message.split("\n");
      throw new ScriptError([`${file}: ${line}`]);
    }
    throw error;
  }
}
