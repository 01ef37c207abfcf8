import { type Command, type CommandCall, type Flag, usageError } from "./command.ts";
import { refuseUnwritable, writeWhole } from "./file.ts";
import type { Input } from "./input.ts";
import { isSameTarget } from "./output-target.ts";
import { SarifLog } from "./sarif.ts";

export const SARIF_FLAG: Flag = {
  type: "string",
  value: "FILE",
  help: "writes the findings as SARIF 2.1.0, for code scanning",
};

/** A log, and the file that it is written to. */
export interface SarifFile {
  readonly log: SarifLog;
  /**
   * Writes the log, whole or not at all. Rejects with a TxfeedError `file` where that fails.
   *
   * @param unreadable How many lines can't be judged.
   */
  readonly write: (unreadable: number) => Promise<void>;
}

/**
 * The log that `--sarif` asks for; undefined where it is not there. Rejects with a TxfeedError:
 * `file` where it can't be written, `usage` where it would be written over what is read.
 */
export async function sarifIn(
  command: Pick<Command, "name">,
  { sarif }: CommandCall["values"],
  inputs: readonly Input[],
): Promise<SarifFile | undefined> {
  if (sarif === undefined) return undefined;
  const file = String(sarif);
  if (inputs.some(({ name }) => name !== "-" && isSameTarget(name, file))) {
    throw usageError(command, `--sarif names what is read: ${file}`);
  }
  await refuseUnwritable(file);
  const log = new SarifLog();
  return { log, write: (unreadable) => writeWhole(file, log.render(unreadable)) };
}
