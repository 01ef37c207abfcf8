/** A command of a `sh` block. */
export interface ShellCommand {
  /** The command, without its comment. Lines that a backslash joins are one command. */
  readonly text: string;
  /** Its words, without the quotes around them. */
  readonly words: readonly string[];
  /** The exit status that its comment names; otherwise 0. */
  readonly status: number;
}

/** Returns the commands of a `sh` block. */
export function commandsOf(code: string): ShellCommand[] {
  return code
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => {
      const [, text = "", comment = ""] = /^(.*?)(?:\s*(?:^|\s)#\s(.*))?$/.exec(line) ?? [];
      const status = Number(/exit status (\d)/.exec(comment)?.[1] ?? 0);
      return { text: text.trim(), words: wordsOf(text), status };
    })
    .filter(({ text }) => text !== "");
}

/** Splits a command into words. A quoted part belongs to its word. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, ""));
}

/** Returns the words after `txfeed`, however the program is started; undefined if it is not. */
export function txfeedArgs({ words }: ShellCommand): readonly string[] | undefined {
  const start = /^(?:npx txfeed|npm run (?:-s )?txfeed --|txfeed) /.exec(`${words.join(" ")} `);
  return start ? words.slice(start[0].trim().split(" ").length) : undefined;
}
