import { expect, test } from "vitest";
import { loadCommands } from "../../bin/commands.ts";
import { onlyIn } from "../../conformance/cli/flags.ts";
import { type Command, type CommandCall, readCall, verbIn } from "../../src/cli/command.ts";
import { renderHelp } from "../../src/cli/help.ts";
import { queueCallIn } from "../../src/cli/queue.ts";
import { paramsIn } from "../../src/cli/trigger-verbs.ts";
import { eventNames } from "../../src/contract/index.ts";
import { verbDescriptions } from "../../src/sandbox/index.ts";

const commands = await loadCommands();
const examplesOf = ({ name, examples, verbs = {} }: Command) => [
  ...examples.map(({ command }) => [command, name, undefined] as const),
  ...Object.entries(verbs).flatMap(([verb, { examples: own }]) =>
    own.map(({ command }) => [command, name, verb] as const),
  ),
];
const helps = commands.flatMap((command) => [
  [`txfeed ${command.name}`, renderHelp(command, `txfeed ${command.name}`)] as const,
  ...Object.keys(command.verbs ?? {}).map((verb) => {
    const call = `txfeed ${command.name} ${verb}`;
    return [call, renderHelp(command, `txfeed ${command.name}`, verb)] as const;
  }),
]);

test.each(helps)("the help of %s has a usage line and examples, in 100 columns", (call, help) => {
  const lines = help.split("\n");
  expect(lines[0]).toMatch(new RegExp(`^${call}: [a-z]`));
  expect(lines[2]).toMatch(new RegExp(`^usage: ${call}`));
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  const examples = lines.slice(lines.indexOf("examples:") + 1);
  expect(examples.length).toBeGreaterThan(0);
  const columns = examples.map((line) => /^ {2}(txfeed .*?) {3,}(?=\S)/.exec(line)?.[0].length);
  expect(columns).toEqual(columns.map(() => columns[0] ?? "aligned"));
});

test("the help of a verb has its flags only", () => {
  const command = commands.find(({ name }) => name === "queue") as Command;
  const help = renderHelp(command, "txfeed queue", "status");
  expect(help).toContain("usage: txfeed queue status [FLAGS]\n");
  expect(help).toContain("\n  --check ");
  expect(help).not.toContain("--state");
  expect(help).not.toContain("verbs:");
});

test("each flag of a verb is a flag of its command, and each flag has a verb", () => {
  for (const { flags, verbs } of commands) {
    if (!verbs) continue;
    const ofVerbs = Object.values(verbs).flatMap((verb) => verb.flags);
    expect([...new Set(ofVerbs)].toSorted()).toEqual(Object.keys(flags).toSorted());
  }
});

/** How names of files end, by the flag or the command that takes them. */
const FILES: Readonly<Record<string, RegExp>> = {
  ...{ html: /\.html$/, junit: /\.xml$/, markdown: /\.md$/, sarif: /\.sarif$/ },
  ...{ "report-json": /\.json$/, baseline: /\.json$/, approvals: /\.json$/ },
  ...{ evidence: /\.ndjson$/, out: /\.ndjson$/, captures: /\.ndjson$/, data: /\.db$/ },
  ...{ inbox: /\.db$/, driver: /^(sandbox|\.\/.*\.mjs)$/, event: eventPattern() },
  ...{ url: /^http:/, "webhook-url": /^http:/, port: /^\d+$/ },
};
const ARGUMENTS: Readonly<Record<string, RegExp>> = {
  ...{ "[FILE]": /\.(ndjson|mjs)$/, "[FILE...]": /\.(ndjson|json)$/, EVIDENCE: /\.ndjson$/ },
  ...{ A: /\.json$/, B: /\.json$/, OLD: /[.@]|\.json$/, NEW: /\.json$/ },
  ...{ "[BASE_URL]": /^http:/, BASE_URL: /^http:/, "ID...": /^\d+$/, "[ID...]": /^\d+$/ },
};

function eventPattern(): RegExp {
  return new RegExp(`^(${eventNames.join("|").replaceAll(".", "\\.")})$`);
}

const examples = commands.flatMap(examplesOf);

test.each(examples)("the command line of %s makes sense", (line, name, verb) => {
  const command = commands.find((one) => one.name === name) as Command;
  const [program, ownName, ...args] = line.split(" ");
  expect([program, ownName]).toEqual(["txfeed", name]);
  const call = readCall(command, args);
  const { positionals, values } = call;
  for (const [flag, value] of Object.entries(values)) {
    if (FILES[flag]) expect(String(value)).toMatch(FILES[flag]);
  }
  refuseUnlikely(command, call, verb);
  if (name === "conformance") onlyIn(command, values);
  if (name === "queue") queueCallIn(call, Date.now());
  if (name !== "trigger" || positionals.length === 0) return;
  const [word, ...words] = positionals;
  const described = verbDescriptions().find((one) => one.name === word);
  expect(described?.name).toBe(word);
  if (described) paramsIn(described, words);
});

/** Checks the verb, and the form of each argument. */
function refuseUnlikely(command: Command, call: CommandCall, of: string | undefined): void {
  const { verbs, name } = command;
  const own = verbs ? verbIn({ name, verbs }, call) : undefined;
  if (of !== undefined) expect(own?.verb).toBe(of);
  const [kinds, words] =
    own && verbs
      ? [verbs[own.verb]?.positionals ?? [], own.words]
      : [command.positionals, call.positionals];
  for (const [at, word] of words.entries()) {
    const kind = kinds[at] ?? kinds.at(-1) ?? "";
    if (ARGUMENTS[kind]) expect(word).toMatch(ARGUMENTS[kind]);
  }
  expect(words.length === 0 || kinds.length > 0).toBe(true);
}
