import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../document.ts";
import { startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { commandsOf } from "./commands.ts";
import { blocksOf, guides, textOf } from "./pages.ts";
import { Session } from "./session.ts";
import { nameOf, writePrograms, writeSnippets } from "./workspace.ts";

/** Commands of the pages that are not run. The test fails if no page has one of them any more. */
const NOT_RUN: readonly { readonly command: RegExp; readonly reason: string }[] = [
  { command: /^npm (install|pack|ci$)/, reason: "installs or packs packages" },
  {
    command: /^(perl|git checkout) |^npm run (-s )?(generate|breaks)/,
    reason: "changes the checkout",
  },
  {
    command: /^npm run (build|check|bench:)|^npm ci && npm test/,
    reason: "takes minutes; CI runs it, or it is a benchmark",
  },
  { command: /^npx openapi-ts/, reason: "the test of the snippets runs it" },
  { command: /^npx redocly/, reason: "needs ids of a run; npm run check:tools runs it" },
];

const dir = tempDir();
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  await writeSnippets(dir);
  env = await writePrograms(join(dir, "bin"));
});

const pages = guides.filter((page) => blocksOf(page).some(({ language }) => language === "sh"));

test.each(pages)(
  "each command of %s ends and prints as the page says",
  async (page) => {
    const session = await Session.create(join(dir, nameOf(page)), env);
    /** The output of servers is compared at the end, because later commands cause some of it. */
    const later: (() => Promise<void>)[] = [];
    for (const { language, code, output } of blocksOf(page)) {
      if (language !== "sh") continue;
      const commands = commandsOf(code);
      for (const command of commands) {
        if (NOT_RUN.some((exception) => exception.command.test(command.text))) continue;
        const { status, printed } = await session.run(command);
        const isLast = command === commands.at(-1);
        if (status === undefined) {
          if (isLast && output !== undefined) later.push(() => expectSoon(printed, output));
          continue;
        }
        const ended = { page, command: command.text, printed: printed() };
        expect({ ...ended, status }).toEqual({ ...ended, status: command.status });
        if (isLast && output !== undefined) expect(masked(printed(), output)).toBe(output);
      }
    }
    for (const check of later) await check();
  },
  180_000,
);

test("the pages have a command for each exception", () => {
  const blocks = guides.flatMap(blocksOf).filter(({ language }) => language === "sh");
  const texts = blocks.flatMap(({ code }) => commandsOf(code)).map(({ text }) => text);
  const unused = NOT_RUN.filter(({ command }) => !texts.some((text) => command.test(text)));
  expect(unused).toEqual([]);
});

test("the scripts have the flags that the guides name", async () => {
  const text = [...guides, "CONTRIBUTING.md", "bench/README.md"].map(textOf).join("\n");
  const named = [...text.matchAll(/npm run (?:-s )?([a-z:]+) -- ([^`\n#]*)/g)];
  // Others check `txfeed` and the two mutation tests; the rest is Vitest.
  const others = /^(txfeed|mutation|mutants|conformance|test.*)$/;
  const calls = named.filter(([, name = ""]) => !others.test(name));
  expect(calls.length).toBeGreaterThan(3);
  for (const [, name = "", args = ""] of calls) {
    const npm = process.env["npm_execpath"] ?? "npm";
    const { stdout } = await startNode([npm, "run", "-s", name, "--", "--help"], { cwd: ROOT })
      .ended;
    for (const [flag] of args.matchAll(/--[a-z][a-z-]*/g)) expect(stdout, name).toContain(flag);
  }
});

/** Waits up to 10 s until a server has printed its output. */
async function expectSoon(printed: () => string, output: string): Promise<void> {
  const hasPrinted = () => masked(printed(), output) === output;
  for (let step = 0; step < 500 && !hasPrinted(); step += 1) await wait(20);
  expect(masked(printed(), output)).toBe(output);
}

/**
 * Returns the output in the page if the printed text matches it, and otherwise the printed text.
 * In the page, `…` is any text, and a line with nothing else is any number of lines.
 */
function masked(printed: string, output: string): string {
  const lines = output.replace(/\n$/, "").split("\n");
  const patterns = lines.map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : patternOf(line)));
  return new RegExp(`^${patterns.join("")}$`).test(printed.replace(/\n?$/, "\n"))
    ? output
    : printed;
}

function patternOf(line: string): string {
  const parts = line.trimEnd().split("…");
  return `${parts.map((part) => escaped(part)).join(".*?")} *\\n`;
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
