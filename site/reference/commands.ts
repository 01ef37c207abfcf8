import { loadCommands } from "../../bin/commands.ts";
import type { Command, Example } from "../../src/cli/command.ts";
import { verbDescriptions } from "../../src/sandbox/index.ts";
import { code, escapeHtml, join, link, type Page, section, table } from "../page.ts";

/** The page that lists the commands, and a page for each, from its own help. */
export async function commandPages(): Promise<Page[]> {
  const commands = await loadCommands();
  const pages = commands.map((command): Page => {
    const call = `txfeed ${command.name}`;
    return {
      path: commandPath(command.name),
      title: call,
      description: `\`${call}\` ${command.summary}.`,
      text: join(
        `${capitalized(command.summary)}.`,
        code("sh", usageOf(command)),
        escapeHtml((command.notes ?? []).join(" ")),
        section("Examples", exampleBlock(command.examples)),
        section("Verbs", verbTable(command)),
        section("Flags", flagTable(command)),
      ),
    };
  });
  const rows = commands.map(({ name, summary }) => [
    link(`\`${name}\``, commandPath(name)),
    summary,
  ]);
  const index: Page = {
    path: commandPath("index"),
    title: "Commands",
    description: "Every command of txfeed.",
    text: join(
      "In a checkout, a command is called with `npm run -s txfeed -- COMMAND`; in a project that has installed the package, with `npx txfeed COMMAND`. `--help` shows the flags of a command and examples.",
      "Every command accepts `--json`, and then prints only JSON to standard output. On a terminal, a command that takes longer shows its progress on standard error, and the output has colours: green is a success, red an error, yellow a warning. `NO_COLOR` turns colours off, `FORCE_COLOR` turns them on elsewhere, and `TERM=dumb` turns colours and progress off.",
      table(["Command", "What it does"], rows),
    ),
  };
  return [index, ...pages];
}

function usageOf({ name, positionals, flags }: Command): string {
  const hasFlags = Object.keys(flags).length > 0;
  return ["npm run -s txfeed --", name, ...positionals, ...(hasFlags ? ["[FLAGS]"] : [])].join(" ");
}

/** The examples, each below a comment that says what it does. */
function exampleBlock(examples: readonly Example[]): string {
  const lines = examples.map(
    ({ command, does }) => `# ${does}\n${command.replace(/^txfeed/, "npm run -s txfeed --")}`,
  );
  return lines.length === 0 ? "" : code("sh", lines.join("\n\n"));
}

/** The verbs of a command. The verbs of `trigger` are those of the sandbox. */
function verbTable({ name, verbs = {} }: Command): string {
  const ofSandbox = name === "trigger" ? verbDescriptions() : [];
  const rows = [
    ...Object.entries(verbs).map(([verb, { positionals, summary, flags }]) => [
      `\`${[verb, ...positionals].join(" ")}\``,
      `${escapeHtml(summary)}${flags.length > 0 ? `. Flags: ${flags.map((flag) => `\`--${flag}\``).join(", ")}` : ""}`,
    ]),
    ...ofSandbox.map(({ name: verb, summary }) => [`\`${verb}\``, escapeHtml(summary)]),
  ];
  return table(["Verb", "What it does"], rows);
}

function flagTable({ flags }: Command): string {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [
    `<span id="${name}">\`--${name}${value ? ` ${value}` : ""}\`</span>`,
    escapeHtml(help),
  ]);
  return table(["Flag", "Meaning"], rows);
}

function commandPath(name: string): string {
  return `reference/commands/${name}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
