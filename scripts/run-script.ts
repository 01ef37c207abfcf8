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
 * Runs a script and sets its exit status. Errors are printed to standard error, with a stack trace
 * only if TXFEED_DEBUG is set. The status is 1 for errors and 2 for invalid arguments.
 */
export async function runScript(name: string, main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (process.env.TXFEED_DEBUG) console.error(error);
    const isUsage = (error as { code?: unknown }).code?.toString().startsWith("ERR_PARSE_ARGS");
    const message = error instanceof Error ? error.message : String(error);
    const [firstSentence = message] = message.split(". ");
    const line = `${name}: ${isUsage ? firstSentence : message}`;
    const lines = error instanceof ScriptError ? error.lines : [line];
    console.error(lines.join("\n"));
    process.exitCode = isUsage ? 2 : 1;
  }
}
