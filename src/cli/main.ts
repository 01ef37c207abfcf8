#!/usr/bin/env node
import { TxfeedError } from "../errors.ts";
import { EXIT, readCall } from "./command.ts";
import { commandNames, loadCommand, loadCommands } from "./commands.ts";
import { renderHelp, renderOverview } from "./help.ts";

/** Runs a command line; resolves to its exit status. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === "--help" || name === "-h" || name === undefined) {
    (name === undefined ? console.error : console.log)(renderOverview(await loadCommands()));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = await loadCommand(name);
  if (!command) {
    const known = commandNames.join(", ");
    throw new TxfeedError("usage", `there is no command '${name}' (there are: ${known})`);
  }
  if (args.includes("--help") || args.includes("-h")) {
    console.log(renderHelp(command));
    return EXIT.ok;
  }
  return command.run(readCall(command, args));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (process.env.TXFEED_DEBUG) console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  console.error(`txfeed: ${message}`);
  process.exitCode = statusOfError(error);
}

function statusOfError(error: unknown): number {
  if (!(error instanceof TxfeedError)) return EXIT.found;
  if (error.code === "unreachable") return EXIT.unreachable;
  return error.code === "not-started" ? EXIT.found : EXIT.usage;
}
