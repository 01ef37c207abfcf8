import { access, constants, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { reasonOf, TxfeedError } from "../errors.ts";

/** Rejects with a TxfeedError `file` where a file can't be written, before work is done for it. */
export async function refuseUnwritable(file: string): Promise<void> {
  const existing = await stat(file).catch(() => undefined);
  if (/(^|[/\\])$/.test(file) || (existing && !existing.isFile())) {
    throw new TxfeedError("file", `'${file}' is not a file`);
  }
  try {
    await access(dirname(file), constants.W_OK);
  } catch {
    const advice = "its folder is not there or can't be written to";
    throw new TxfeedError("file", `${file} can't be written: ${advice}`);
  }
}

/** Writes a file whole or not at all. Rejects with a TxfeedError `file` where that fails. */
export async function writeWhole(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new TxfeedError("file", `${file} can't be written: ${reasonOf(error)}`, { cause: error });
  }
}
