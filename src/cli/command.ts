import { type ParseArgsConfig, parseArgs } from "node:util";
import { type TxfeedError, UsageError } from "../errors.ts";
import { suggestion } from "../nearest.ts";

/** The exit statuses of the command line. */
export const EXIT = { ok: 0, found: 1, usage: 2, unreachable: 3, undecided: 4 } as const;

/** A flag of a command. */
export interface Flag {
  readonly type: "string" | "boolean";
  /** The placeholder of its value, such as `FILE`. */
  readonly value?: string;
  /** Starts with a verb in the imperative or a noun. */
  readonly help: string;
  /** Whether it may be repeated; its value is then a list. */
  readonly multiple?: true;
}

/** An example of a command line. */
export interface Example {
  /** The complete command line, such as `txfeed mock --port 0`. */
  readonly command: string;
  /** Starts with a verb in the imperative. */
  readonly does: string;
}

/** A verb of a command, with help of its own. */
export interface CommandVerb {
  /** Its arguments, after the verb. */
  readonly positionals: readonly string[];
  readonly summary: string;
  /** Further lines of its help, instead of those of the command. */
  readonly notes?: readonly string[];
  /** The names of the flags that it takes. */
  readonly flags: readonly string[];
  readonly examples: readonly Example[];
}

/** A command: its description, and the function that runs it. */
export interface Command {
  readonly name: string;
  /** Its arguments, as in the usage line: `[FILE]` is optional, `[FILE...]` may be repeated. */
  readonly positionals: readonly string[];
  readonly summary: string;
  /** Further lines of its help. */
  readonly notes?: readonly string[];
  /** Its verbs by name, if its first argument is a verb. */
  readonly verbs?: Readonly<Record<string, CommandVerb>>;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly examples: readonly Example[];
  /** The help of an argument that is not in `verbs`; undefined if it has none. */
  readonly helpOf?: (word: string) => Promise<string | undefined>;
  /**
   * Runs the command.
   *
   * @returns the exit status.
   * @throws {TxfeedError} with a message of one line.
   */
  readonly run: (call: CommandCall) => Promise<number>;
}

/** The arguments and flags of a call. */
export interface CommandCall {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/**
 * Parses the arguments of a command.
 *
 * @throws {TxfeedError} `usage` with the wrong flag or argument.
 */
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
    throw usageError(command, `unexpected argument "${positionals[most]}"`);
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
    throw usageError(command, flagProblem(error, ["help", ...Object.keys(options)], args));
  }
}

/** Describes an error of `parseArgs` in one line. */
export function flagProblem(
  error: unknown,
  names: readonly string[],
  args: readonly string[],
): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, name = ""] = /^\w+ '(-[^' ]*)/.exec(message) ?? /'(-[^' ]*)/.exec(message) ?? [];
  // parseArgs reads -json as -j, -s, -o and -n.
  const flag = /^-\w$/.test(name) ? (args.find((arg) => arg.startsWith(name)) ?? name) : name;
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const flags = names.map((name) => `--${name}`);
    const advice = suggestion(flag, flags, "");
    return advice === "" ? `unknown option "${flag}"` : `unknown option "${flag}"; ${advice}`;
  }
  if (/does not take an argument/.test(message)) return `${flag} takes no value`;
  if (/is ambiguous/.test(message)) return `${flag} requires a value; write ${flag}=-1 for -1`;
  return /argument missing/.test(message) ? `${flag} requires a value` : message;
}

/** A call of a verb. */
interface VerbCall<Verb extends string> {
  readonly verb: Verb;
  /** The arguments after the verb. */
  readonly words: readonly string[];
}

/**
 * Parses the verb of a call.
 *
 * @throws {TxfeedError} `usage` if there is no such verb, or a flag is for another verb.
 */
export function verbIn<Verb extends string>(
  { name, verbs }: { readonly name: string; readonly verbs: Readonly<Record<Verb, CommandVerb>> },
  { positionals: [word = "", ...words], values }: CommandCall,
): VerbCall<Verb> {
  const known = Object.keys(verbs) as Verb[];
  const verb = known.find((one) => one === word);
  if (verb === undefined) {
    const advice = suggestion(word, known, `the verbs are ${known.join(", ")}`);
    throw usageError({ name }, `there is no verb "${word}"; ${advice}`);
  }
  for (const flag of Object.keys(values)) {
    if (verbs[verb].flags.includes(flag)) continue;
    const takers = LIST.format(known.filter((one) => verbs[one].flags.includes(flag)));
    throw usageError({ name }, `--${flag} is for ${takers}, not for ${verb}`);
  }
  return { verb, words };
}

const LIST = new Intl.ListFormat("en-GB");

/** An error in a command's arguments, with a pointer to its help. */
export function usageError({ name }: Pick<Command, "name">, problem: string): TxfeedError {
  return new UsageError(`${problem} (see: txfeed ${name} --help)`);
}

/**
 * The value of a required flag.
 *
 * @throws {TxfeedError} `usage` if it is missing or empty.
 */
export function requiredIn(
  command: Pick<Command, "name">,
  values: CommandCall["values"],
  flag: string,
): string {
  const value = values[flag];
  if (typeof value === "string" && value !== "") return value;
  throw usageError(command, `--${flag} is missing`);
}

/**
 * Parses a port number.
 *
 * @throws {TxfeedError} `usage` if the value is not one.
 */
export function portIn(command: Pick<Command, "name">, value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw usageError(command, `--port takes a number from 0 to 65535, not "${value}"`);
}
