import { TxfeedError } from "../errors.ts";
import { EXIT, nearestAdvice, readCall } from "./command.ts";
import { commandNames, loadCommand, loadCommands } from "./commands.ts";
import { renderHelp, renderOverview } from "./help.ts";
import { packageVersion } from "./version.ts";

/** Runs a command line; resolves to its exit status. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === "--version") {
    console.log(packageVersion());
    return EXIT.ok;
  }
  if (name === "--help" || name === "-h" || name === undefined) {
    (name === undefined ? console.error : console.log)(renderOverview(await loadCommands()));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = await loadCommand(name);
  if (!command) {
    const advice = nearestAdvice(name, commandNames) || ` (there are: ${commandNames.join(", ")})`;
    throw new TxfeedError("usage", `there is no command '${name}'${advice}`);
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(renderHelp(command));
    return EXIT.ok;
  }
  return command.run(readCall(command, args));
}

/** Prints an error in one line, with its stack trace only if TXFEED_DEBUG is set. */
function report(error: unknown): number {
  if (process.env.TXFEED_DEBUG) console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  console.error(`txfeed: ${message}`);
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
