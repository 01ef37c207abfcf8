import type { Command, Example, Flag } from "./command.ts";

/** What the help of a command describes. */
interface Described
  extends Omit<Command, "run" | "helpOf" | "examples">,
    Partial<Pick<Command, "examples">> {
  /** Its arguments with their values. */
  readonly arguments?: readonly Row[];
}

/**
 * Renders the help of a command.
 *
 * @param call How to call it, such as `txfeed mock`.
 * @param word The argument after the command's name. If it is a verb, the help is that of the verb.
 */
export function renderHelp(command: Described, call: string, word?: string): string {
  const { name, positionals, summary, notes = [], verbs = {}, flags, examples = [] } = command;
  const { arguments: args = [] } = command;
  const verb = word !== undefined && Object.hasOwn(verbs, word) ? verbs[word] : undefined;
  if (verb) {
    const own = Object.entries(flags).filter(([flag]) => verb.flags.includes(flag));
    const { verbs: _, ...rest } = { ...command, ...verb, flags: Object.fromEntries(own) };
    return renderHelp(rest, `${call} ${word}`);
  }
  const rows = flagRows(flags);
  const usage = [call, ...positionals, ...(rows.length > 0 ? ["[FLAGS]"] : [])];
  const described = Object.entries(verbs).map(
    ([one, { positionals: words, summary: does }]) => [[one, ...words].join(" "), does] as const,
  );
  return [
    `${call.startsWith("txfeed ") ? call : name}: ${summary}`,
    "",
    `usage: ${usage.join(" ")}`,
    ...section("verbs:", described),
    ...(notes.length > 0 ? ["", ...notes] : []),
    ...section("arguments:", args),
    ...section("flags:", rows),
    ...section("examples:", rowsOf(examples)),
  ].join("\n");
}

function flagRows(flags: Readonly<Record<string, Flag>>): Row[] {
  return Object.entries(flags).map(([flag, { value, help }]) => [
    `--${flag}${value ? ` ${value}` : ""}`,
    help,
  ]);
}

function rowsOf(examples: readonly Example[]): Row[] {
  return examples.map(({ command, does }) => [command, does]);
}

type Row = readonly [left: string, right: string];

/** Renders rows below a heading, in two aligned columns; nothing if there are none. */
export function section(heading: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([left]) => left.length)) + 3;
  return ["", heading, ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`)];
}
