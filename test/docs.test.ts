import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loadCommands } from "../bin/commands.ts";
import { FLAGS as MUTANTS } from "../mutants/options.ts";
import { FLAGS as MUTATION } from "../mutation/options.ts";
import packageJson from "../package.json" with { type: "json" };
import { ROOT } from "./document.ts";

const pages = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...["spec/library/README.md", "bench/README.md"],
  ...["examples/receiver-express/README.md", "examples/fleet-postgres/README.md"],
  ...["docs", "decisions"].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
];
const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

test.each(pages)("%s links to existing targets", (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = ""]) => to);
  const dead = links.filter((to) => !existsSync(join(ROOT, dirname(page), to)));
  expect(dead).toEqual([]);
});

test.each(pages)("%s names only existing scripts", (page) => {
  const named = [...textOf(page).matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(
    ([, name = ""]) => name,
  );
  expect(named.filter((name) => !(name in packageJson.scripts))).toEqual([]);
});

test.each(pages)("%s names only existing files and folders", (page) => {
  const top =
    "src|spec|scripts|conformance|mutation|test|bench|generated|docs|decisions|tsconfig|bin";
  const quoted = textOf(page).matchAll(new RegExp(`\`((?:${top})/[\\w./-]*)\``, "g"));
  const named = [...quoted].map(([, name = ""]) => name);
  expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

test("README and docs/receiver.md name exactly the flags of every command", async () => {
  const ofScripts = /npm run (?:mutation|mutants) -- [^`\n]*/g;
  const text = `${textOf("README.md")}${textOf("docs/receiver.md")}`.replaceAll(ofScripts, "");
  const flags = flagsIn(text);
  const ofCommands = (await loadCommands()).flatMap((command) => Object.keys(command.flags));
  const known = [...ofCommands, "help", "version"];
  expect([...new Set(flags)].sort()).toEqual([...new Set(known)].sort());
});

test("the pages contain no path of a machine", () => {
  for (const page of pages) expect(textOf(page)).not.toMatch(/\/work\/|\/root\/|\/home\//);
});

test.each(pages)("%s names only existing flags of npm run mutation and mutants", (page) => {
  const unknown = Object.entries({ mutation: MUTATION, mutants: MUTANTS }).flatMap(
    ([name, known]) => {
      const commands = textOf(page).match(new RegExp(`npm run ${name} -- [^\`\\n#]*`, "g")) ?? [];
      return commands.flatMap(flagsIn).filter((flag) => !(flag in known));
    },
  );
  expect(unknown).toEqual([]);
});

function flagsIn(text: string): string[] {
  return [...text.matchAll(/--([a-z][a-z-]+)/g)].map(([, flag = ""]) => flag);
}
