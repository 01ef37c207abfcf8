import { type Flag, flagProblem } from "../src/cli/command.ts";
import { renderHelp } from "../src/cli/help.ts";
import { debug } from "../src/cli/output.ts";
import { UsageError } from "../src/errors.ts";

/** A script of package.json, as `npm run NAME -- --help` describes it. */
interface Script {
  readonly name: string;
  readonly summary: string;
  /** Its arguments, as in the usage line. */
  readonly positionals?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
}

/** An error whose lines are printed to the user of a script, without a stack trace. */
export class ScriptError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ScriptError";
    this.lines = lines;
  }
}

/**
 * Runs a script and sets its exit status, or prints its help. Errors are printed to standard error,
 * with a stack trace only if TXFEED_DEBUG is set. The status is 1 for errors and 2 for invalid
 * arguments.
 */
export async function runScript(script: Script, main: () => Promise<number>): Promise<void> {
  const { name, flags = {}, positionals = [] } = script;
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    const hasArguments = positionals.length + Object.keys(flags).length > 0;
    const call = `npm run ${name}${hasArguments ? " --" : ""}`;
    console.log(renderHelp({ ...script, flags, positionals }, call));
    return;
  }
  try {
    process.exitCode = await main();
  } catch (error) {
    debug(error);
    const problem = usageProblem(error, Object.keys(flags));
    const message = problem ? `${problem} (see: npm run ${name} -- --help)` : messageOf(error);
    const lines = error instanceof ScriptError ? error.lines : [`${name}: ${message}`];
    console.error(lines.join("\n"));
    process.exitCode = problem ? 2 : 1;
  }
}

/** Reads the value of a flag that must be a positive integer. */
export function readPositiveInteger(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new UsageError(`${flag} must be an integer >= 1; got ${text}`);
}

function usageProblem(error: unknown, flags: readonly string[]): string | undefined {
  if (error instanceof UsageError) return error.message;
  const isParsing = String((error as { code?: unknown })?.code).startsWith("ERR_PARSE_ARGS");
  return isParsing ? flagProblem(error, ["help", ...flags], process.argv.slice(2)) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
