import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { commandNames, loadCommands } from "../bin/commands.ts";
import { FLAGS } from "../mutation/options.ts";
import packageJson from "../package.json" with { type: "json" };
import { headingsOf } from "../scripts/package-links.ts";
import { type Command, readCall } from "../src/cli/command.ts";
import { commandsOf, txfeedArgs } from "./docs/commands.ts";
import { blocksOf, guides, textOf } from "./docs/pages.ts";
import { ROOT } from "./document.ts";

const pages = [
  ...guides,
  ...["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...["spec/library/README.md", "bench/README.md"],
  ...["examples/receiver-express/README.md", "examples/fleet-postgres/README.md"],
  ...readdirSync(join(ROOT, "decisions")).map((name) => `decisions/${name}`),
];
/** The changelog names what was removed. */
const current = pages.filter((page) => page !== "CHANGELOG.md");

const commands = new Map<string, Command>();

beforeAll(async () => {
  for (const command of await loadCommands()) commands.set(command.name, command);
});

const exportNames = Object.keys(packageJson.exports).map((subpath) => `txfeed${subpath.slice(1)}`);

describe.each(pages)("%s", (page) => {
  const text = textOf(page);

  test("links to existing files and headings", () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
    const dead = links.filter(([, link = ""]) => {
      const [to = "", anchor] = link.split("#");
      const target = to === "" ? page : join(dirname(page), to);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !headingsOf(textOf(target)).includes(anchor);
    });
    expect(dead.map(([, link]) => link)).toEqual([]);
  });

  test("names only existing scripts", () => {
    const named = [...text.matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });

  test("names only existing files and folders", () => {
    const top =
      "src|spec|scripts|conformance|mutation|test|bench|generated|docs|decisions|tsconfig|bin";
    const quoted = text.matchAll(new RegExp(`\`((?:${top})/[\\w./-]*)\``, "g"));
    const named = [...quoted].map(([, name = ""]) => name);
    expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  test("contains no path of a machine", () => {
    expect(text).not.toMatch(/\/work\/|\/root\/|\/home\//);
  });

  test("names only existing flags of npm run mutation and mutants", () => {
    const named = text.match(/npm run (?:mutation|mutants) -- [^`\n#]*/g) ?? [];
    expect(named.flatMap(flagsIn).filter((flag) => !(flag in FLAGS))).toEqual([]);
  });
});

describe.each(current)("%s", (page) => {
  const text = textOf(page);
  const shell = blocksOf(page).filter(({ language }) => language === "sh");
  const inShell = shell.flatMap(({ code }) => commandsOf(code));
  const inProse = codeSpansOf(text).flatMap((code) => commandsOf(code));

  test("names only existing commands, with flags that they have", () => {
    const unknown = [...inShell, ...inProse].flatMap((command) => {
      const [name = "", ...args] = txfeedArgs(command) ?? [];
      if (!/^[a-z]/.test(name)) return [];
      const known = { help: {}, version: {}, ...commands.get(name)?.flags };
      const flags = flagsIn(args.join(" ")).filter((flag) => !(flag in known));
      return commands.has(name) ? flags.map((flag) => `${name} --${flag}`) : [name];
    });
    expect(unknown).toEqual([]);
  });

  test("has commands that parse", () => {
    for (const command of inShell) {
      const [name = "", ...args] = txfeedArgs(command) ?? [];
      const found = commands.get(name);
      if (!found || args.includes("--help")) continue;
      expect(() => readCall(found, args), command.text).not.toThrow();
    }
  });

  test("names only existing exports", () => {
    const named = text.match(/(?<![\w./-])txfeed\/[a-z][a-z./-]*[a-z]/g) ?? [];
    expect(named.filter((name) => !exportNames.includes(name))).toEqual([]);
  });
});

describe("the guides", () => {
  const all = guides.map(textOf).join("\n");

  test("name every command and every export", () => {
    const names = [
      ...commandNames.map((name) => `txfeed (?:-- )?${name}`),
      ...exportNames.slice(1),
    ];
    const missing = names.filter((name) => !new RegExp(`${name}(?![\\w/-])`).test(all));
    // The guide of a receiver lists the adapters in short form.
    const adapters = ["express", "fastify", "hono", "aws-lambda"].map((one) => `/${one}`);
    expect(missing.filter((name) => !adapters.some((one) => name.endsWith(one)))).toEqual([]);
  });

  test.each([...guides, "SECURITY.md"])("%s names flags of its own commands", (page) => {
    const text = textOf(page);
    const words = text.matchAll(/\btxfeed (?:-- )?([a-z]+)/g);
    const named = [...words].flatMap(([, name = ""]) => commands.get(name) ?? []);
    const known = new Set(["help", "version", ...named.flatMap(({ flags }) => Object.keys(flags))]);
    const bare = codeSpansOf(text).filter((code) => /^--[a-z]/.test(code));
    expect(bare.flatMap(flagsIn).filter((flag) => !known.has(flag))).toEqual([]);
  });

  test.each(guides)("%s starts with a title and a paragraph", (page) => {
    expect(textOf(page)).toMatch(/^# [^\n]+\n\n[A-Za-z`][^\n]+\n/);
  });

  test.each(guides)("%s has lines of at most 120 columns, except in tables and output", (page) => {
    const prose = textOf(page).replaceAll(/^```text\n[\s\S]*?^```$/gm, "");
    const lines = prose.split("\n").filter((line) => !line.startsWith("|"));
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  test("README has less than 200 lines, of at most 120 columns", () => {
    const lines = textOf("README.md").split("\n");
    expect(lines.length).toBeLessThan(200);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  test.each(guides)("%s has blocks in known languages, which parse", (page) => {
    for (const { language, code, line } of blocksOf(page)) {
      expect(["ts", "js", "sh", "json", "yaml", "text"], `line ${line}`).toContain(language);
      if (language === "json") expect(() => JSON.parse(code), `line ${line}`).not.toThrow();
      if (language === "yaml") {
        const errors = parseAllDocuments(code).flatMap(({ errors }) => errors);
        expect(errors, `line ${line}`).toEqual([]);
      }
    }
  });

  test.each(guides)("%s has outputs that say something", (page) => {
    const outputs = blocksOf(page).flatMap(({ output = [] }) => output);
    expect(outputs.filter((output) => output.replaceAll("…", "").trim() === "")).toEqual([]);
  });

  test.each(guides)("%s has no fence that is indented", (page) => {
    expect(textOf(page)).not.toMatch(/^ +```/m);
  });
});

test("only package.json may have an address of the repository, a site or the package", () => {
  const pattern = String.raw`github\.com/txfeed|github\.io|shields\.io|npmjs\.com/package/txfeed`;
  const args = ["grep", "--untracked", "-nE", pattern, "--", ":!package.json"];
  expect(spawnSync("git", args, { cwd: ROOT, encoding: "utf8" })).toMatchObject({
    status: 1, // nothing found
    stdout: "",
  });
});

/** Returns the code between single backticks, outside of fenced blocks. */
function codeSpansOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, code = ""]) => code);
}

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<=^|[\s"'])--([a-z][a-z-]+)/g)].map(([, flag = ""]) => flag);
}
