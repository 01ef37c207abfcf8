import { loadCommands } from "../../bin/commands.ts";
import type { Command } from "../../src/cli/command.ts";
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
      "Installed, a command is called with `npx txfeed COMMAND`; in a checkout, with `npm run -s txfeed -- COMMAND`.",
      table(["Command", "What it does"], rows),
    ),
  };
  return [index, ...pages];
}

function usageOf({ name, positionals, flags }: Command): string {
  const hasFlags = Object.keys(flags).length > 0;
  return ["npx txfeed", name, ...positionals, ...(hasFlags ? ["[FLAGS]"] : [])].join(" ");
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
