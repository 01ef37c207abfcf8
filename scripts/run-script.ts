/** What is wrong, a line each: the whole of what a user of a script is to read. */
export class ScriptError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ScriptError";
    this.lines = lines;
  }
}

/**
 * Runs a script to its exit status. An error becomes lines on standard error, with no stack trace
 * unless TXFEED_DEBUG is set, and status 1; words that the script does not take become status 2.
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
