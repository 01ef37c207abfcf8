import { EXIT, readCall } from "../src/cli/command.ts";
import { renderHelp, renderOverview } from "../src/cli/help.ts";
import { outputTo } from "../src/cli/output.ts";
import { packageVersion } from "../src/cli/version.ts";
import { TxfeedError, UsageError } from "../src/errors.ts";
import { suggestion } from "../src/nearest.ts";
import { printable } from "../src/text.ts";
import { commandNames, loadCommand, loadCommands } from "./commands.ts";

/** Runs a command line; resolves to its exit status. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === "--version") {
    return print(packageVersion());
  }
  if (name === "--help" || name === "-h" || name === undefined) {
    const overview = renderOverview(await loadCommands());
    if (name !== undefined) return print(overview);
    console.error(overview);
    return EXIT.usage;
  }
  const command = await loadCommand(name);
  if (!command) {
    const advice = suggestion(name, commandNames, `the commands are ${commandNames.join(", ")}`);
    throw new UsageError(`there is no command '${name}'; ${advice}`);
  }
  if (args.includes("--help") || args.includes("-h")) {
    return print(renderHelp(command));
  }
  return command.run(readCall(command, args));
}

async function print(text: string): Promise<number> {
  await outputTo(process.stdout).write(`${text}\n`);
  return EXIT.ok;
}

/** Prints an error in one line, with its stack trace only if TXFEED_DEBUG is set. */
function report(error: unknown): number {
  if (process.env.TXFEED_DEBUG) console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  console.error(`txfeed: ${printable(message)}`);
  return statusOfError(error);
}

function statusOfError(error: unknown): number {
  if (!(error instanceof TxfeedError)) return EXIT.found;
  if (error.code === "unreachable") return EXIT.unreachable;
  return error.code === "not-started" ? EXIT.found : EXIT.usage;
}

// What fails outside of the command's own promise, such as a timer of a driver.
process.on("uncaughtException", (error) => process.exit(report(error)));

process.exitCode = await main(process.argv.slice(2)).catch(report);
