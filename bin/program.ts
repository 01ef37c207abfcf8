import { existsSync, readFileSync } from "node:fs";
import { type Command, EXIT, readCall, renderHelp } from "../src/cli/command.ts";
import { outputTo } from "../src/cli/output.ts";
import { TxfeedError, UsageError } from "../src/errors.ts";
import { suggestion } from "../src/nearest.ts";
import { printable } from "../src/text.ts";
import { commandNames, loadCommand, loadCommands } from "./commands.ts";

/** Runs a command line and returns its exit status. */
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
    throw new UsageError(`there is no command "${name}"; ${advice}`);
  }
  if (args.includes("--help") || args.includes("-h")) {
    return print(renderHelp(command, `txfeed ${name}`));
  }
  return command.run(readCall(command, args));
}

async function print(text: string): Promise<number> {
  await outputTo(process.stdout).write(`${text}\n`);
  return EXIT.ok;
}

function packageVersion(): string {
  // The package.json is at another depth in a checkout (bin) than in the package (dist/bin).
  const files = ["../package.json", "../../package.json"].map(
    (path) => new URL(path, import.meta.url),
  );
  const file = files.find((url) => existsSync(url));
  return file ? JSON.parse(readFileSync(file, "utf8")).version : "unknown";
}

/** Renders the overview of all commands. */
function renderOverview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  return [
    "txfeed: the toolkit for the Card and Bank Transaction Feed interface",
    "",
    "usage: txfeed COMMAND [FLAGS]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "",
    "exit status: 0 no errors found, 1 errors found, 2 bad usage, 3 the target is unreachable,",
    "             4 a conformance run is undecided, or the suite failed",
    "",
    "Run txfeed COMMAND --help for the flags of a command, txfeed --version for the version.",
  ].join("\n");
}

/** Prints an error in one line, and its stack trace if TXFEED_DEBUG is set. */
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

// For errors outside the command's promise, such as in a timer of a driver.
process.on("uncaughtException", (error) => process.exit(report(error)));

process.exitCode = await main(process.argv.slice(2)).catch(report);
