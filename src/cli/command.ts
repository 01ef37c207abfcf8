import { type ParseArgsConfig, parseArgs } from "node:util";
import { type TxfeedError, UsageError } from "../errors.ts";
import { suggestion } from "../nearest.ts";

/** The exit statuses of the command line. */
export const EXIT = { ok: 0, found: 1, usage: 2, unreachable: 3, undecided: 4 } as const;

/** A flag: how it is read, and how its help shows it. */
export interface Flag {
  readonly type: "string" | "boolean";
  /** The placeholder of its value, such as `FILE`. */
  readonly value?: string;
  readonly help: string;
  /** Whether it may be there more than once; its value is a list then. */
  readonly multiple?: true;
}

/** A command: data, and the function that does it. */
export interface Command {
  readonly name: string;
  /**
   * Its positional arguments, as the usage line shows them: `[FILE]` may be left out, and of
   * `[FILE...]` there may be many.
   */
  readonly positionals: readonly string[];
  readonly summary: string;
  /** What its help says beyond its flags, a line each. */
  readonly notes?: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  /**
   * Resolves to the exit status. Rejects with a TxfeedError that says in one line what is wrong.
   */
  readonly run: (call: CommandCall) => Promise<number>;
}

/** What a command was called with. */
export interface CommandCall {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** Reads a command's words. Throws a TxfeedError `usage` that names the flag or argument. */
export function readCall(command: Command, args: readonly string[]): CommandCall {
  const options: ParseArgsConfig["options"] = {};
  for (const [name, { type, multiple = false }] of Object.entries(command.flags)) {
    options[name] = { type, multiple };
  }
  const { values, positionals } = parse(command, args, options);
  const missing = command.positionals[positionals.length];
  if (missing && !missing.startsWith("[")) throw usageError(command, `${missing} is missing`);
  const most = command.positionals.at(-1)?.endsWith("...]") ? Infinity : command.positionals.length;
  if (positionals.length > most) {
    throw usageError(command, `unexpected argument '${positionals[most]}'`);
  }
  return { positionals, values: values as CommandCall["values"] };
}

function parse(
  command: Command,
  args: readonly string[],
  options: ParseArgsConfig["options"] = {},
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [first = message] = message.split(/\. |\n/);
    const [, flag] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
    const flags = ["help", ...Object.keys(options)].map((name) => `--${name}`);
    const advice = flag === undefined ? "" : suggestion(flag, flags, "");
    const problem = first.charAt(0).toLowerCase() + first.slice(1);
    throw usageError(command, advice === "" ? problem : `${problem}; ${advice}`);
  }
}

/** An error in a command's words, with where to read how it is called. */
export function usageError({ name }: Pick<Command, "name">, what: string): TxfeedError {
  return new UsageError(`${what} (see: txfeed ${name} --help)`);
}

/** A flag's value where it must have one. Throws a TxfeedError `usage` where it is not there. */
export function requiredIn(
  command: Pick<Command, "name">,
  values: CommandCall["values"],
  flag: string,
): string {
  const value = values[flag];
  if (typeof value === "string" && value !== "") return value;
  throw usageError(command, `--${flag} is missing`);
}

/** A flag's value as a port number. Throws a TxfeedError `usage` where it is none. */
export function portIn(command: Pick<Command, "name">, value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw usageError(command, `--port takes a number from 0 to 65535, not '${value}'`);
}
