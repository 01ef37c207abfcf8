import { suggestion } from "../nearest.ts";
import { type CommandCall, type Flag, usageError } from "./command.ts";

type Named = Readonly<{ name: string }>;

/** The flag of every command that prints its result as JSON too. */
export const JSON_FLAG: Flag = { type: "boolean", help: "print the result as one line of JSON" };

/** The flag of the commands that print a line of JSON for each record. */
export const JSON_LINES_FLAG: Flag = { type: "boolean", help: "print a line of JSON per record" };

/** The longer form of `--json`. */
export const FORMAT_FLAG: Flag = {
  type: "string",
  value: "text|json",
  help: "output format (default: text); json is the same as --json",
};

/**
 * The output format of `--json` or `--format`.
 *
 * @param formats The formats of the command; the first is the default.
 * @throws {TxfeedError} `usage` if there is no such format, or the flags contradict each other.
 */
export function formatIn<Format extends string = "text" | "json">(
  command: Named,
  { json, format }: CommandCall["values"],
  formats: readonly Format[] = ["text", "json"] as unknown as readonly Format[],
): Format {
  const named = format === undefined ? undefined : wordIn(command, "format", format, formats);
  if (json === true && named !== undefined && named !== "json") {
    throw usageError(command, `--json contradicts --format ${named}; leave one of them out`);
  }
  return (json === true ? ("json" as Format) : named) ?? (formats[0] as Format);
}

type Value = CommandCall["values"][string];

/**
 * The value of a flag that takes one of a few words.
 *
 * @throws {TxfeedError} `usage` if the value is another word.
 */
export function wordIn<Word extends string>(
  command: Named,
  flag: string,
  value: Value,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  const known = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(words);
  const advice = suggestion(String(value), words, "");
  const problem = `--${flag} takes ${known}, not "${value}"`;
  throw usageError(command, advice === "" ? problem : `${problem}; ${advice}`);
}
