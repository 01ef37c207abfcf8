import type { Command } from "./command.ts";

/** Renders the overview of all commands. */
export function renderOverview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  return [
    "txfeed: the toolkit for the Card and Bank Transaction Feed interface",
    "",
    "usage: txfeed COMMAND [FLAGS]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "",
    "exit status: 0 nothing at error level, 1 something, 2 bad usage, 3 the target can't be",
    "             reached, 4 a conformance run that could decide nothing",
    "",
    "txfeed COMMAND --help tells more of a command. txfeed --version prints the version.",
  ].join("\n");
}

/** Renders the help of one command. */
export function renderHelp({ name, positionals, summary, notes = [], flags }: Command): string {
  const rows = Object.entries(flags).map(([flag, { value, help }]) => [
    `--${flag}${value ? ` ${value}` : ""}`,
    help,
  ]);
  const width = Math.max(0, ...rows.map(([left = ""]) => left.length)) + 3;
  const usage = ["txfeed", name, ...positionals, ...(rows.length > 0 ? ["[FLAGS]"] : [])];
  return [
    `txfeed ${name}: ${summary}`,
    "",
    `usage: ${usage.join(" ")}`,
    "",
    ...(notes.length > 0 ? [...notes, ""] : []),
    ...rows.map(([left = "", help = ""]) => `  ${left.padEnd(width)}${help}`),
  ].join("\n");
}
