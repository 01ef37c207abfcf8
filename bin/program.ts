import { existsSync, readFileSync } from "node:fs";
import { type Command, EXIT, readCall } from "../src/cli/command.ts";
import { renderHelp, section } from "../src/cli/help.ts";
import { debug, outputTo, warn } from "../src/cli/output.ts";
import { TxfeedError, UsageError } from "../src/errors.ts";
import { suggestion } from "../src/nearest.ts";
import { commandNames, loadCommand, loadCommands } from "./commands.ts";

/** Runs a command line and returns its exit status. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === "--version") {
    return print(packageVersion());
  }
  if (name === "help") return main([...args, "--help"]);
  if (name === "--help" || name === "-h" || name === undefined) {
    const overview = renderOverview(await loadCommands());
    if (name !== undefined) return print(overview);
    await outputTo(process.stderr).write(`${overview}\n`);
    return EXIT.usage;
  }
  const command = await loadCommand(name);
  if (!command) {
    const advice = suggestion(name, commandNames, `the commands are ${commandNames.join(", ")}`);
    throw new UsageError(`there is no command "${name}"; ${advice}`);
  }
  if (args.includes("--help") || args.includes("-h")) {
    return print(await helpOf(command, args));
  }
  return command.run(readCall(command, args));
}

/** The help of a command, or of its verb: `txfeed queue list --help`. */
async function helpOf(command: Command, args: readonly string[]): Promise<string> {
  const [word] = args.filter((arg) => !arg.startsWith("-"));
  const own = word === undefined ? undefined : await command.helpOf?.(word);
  return own ?? renderHelp(command, `txfeed ${command.name}`, word);
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

/** The most useful commands, by what a reader has or wants. */
const START = [
  ["you call the API", "txfeed sandbox, then in another terminal: txfeed trigger purchase"],
  ["you receive webhooks", "txfeed listen --port 4040 --out capture.ndjson"],
  ["you run a server", "txfeed conformance BASE_URL --html report.html"],
  ["you change the contract", "txfeed breaks OLD NEW"],
] as const;

/** Renders the overview of all commands. */
function renderOverview(commands: readonly Command[]): string {
  return [
    "txfeed: the toolkit for the Card and Bank Transaction Feed interface",
    "",
    "usage: txfeed COMMAND [FLAGS]",
    ...section("start here:", START),
    ...section(
      "commands:",
      commands.map(({ name, summary }) => [name, summary]),
    ),
    "",
    "exit status: 0 no errors found, 1 errors found, 2 bad usage, 3 the target is unreachable or",
    "             refuses the credentials, 4 a conformance run is undecided, or the suite failed",
    "",
    "Run txfeed COMMAND --help for flags and examples, txfeed --version for the version.",
  ].join("\n");
}

/** Prints an error in one line, and its stack trace if TXFEED_DEBUG is set. */
function report(error: unknown): number {
  debug(error);
  const message = error instanceof Error ? error.message : String(error);
  warn(`txfeed: ${message}`);
  return statusOfError(error);
}

function statusOfError(error: unknown): number {
  if (!(error instanceof TxfeedError)) return EXIT.found;
  if (error.code === "unreachable" || error.code === "refused-credentials") return EXIT.unreachable;
  return error.code === "not-started" ? EXIT.found : EXIT.usage;
}

// The reader of the standard error may close it, as in txfeed ... 2>&1 | head.
process.stderr.on("error", () => undefined);

// For errors outside the command's promise, such as in a timer of a driver.
process.on("uncaughtException", (error) => process.exit(report(error)));

process.exitCode = await main(process.argv.slice(2)).catch(report);
