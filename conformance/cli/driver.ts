import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Command, type CommandCall, EXIT, usageError } from "../../src/cli/command.ts";
import { refuseUnwritable, writeAtomically } from "../../src/cli/file.ts";
import { outputTo } from "../../src/cli/output.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { suggestion } from "../../src/nearest.ts";
import { counted, printable, shortened, type TextStyle, wrapped } from "../../src/text.ts";
import { checks } from "../checks/index.ts";
import { type Verb, verbs } from "../driver.ts";
import { type Trial, type TriedVerb, tryDriver } from "../drivers/trial.ts";
import { needFor, RESULT_FIELDS } from "../scenarios/act.ts";
import { TARGET_FLAGS } from "./flags.ts";
import { endSoon, onInterruption } from "./progress.ts";
import { targetIn } from "./target.ts";

const DEFAULT_FILE = "conformance-driver.mjs";

/** `txfeed driver`: helps to write a driver for `txfeed conformance`. */
export const driver: Command = {
  name: "driver",
  positionals: ["init|check", "[FILE|BASE_URL]"],
  summary: "writes a driver's skeleton, or tries each verb of a driver",
  notes: [
    `  init [FILE]     write a skeleton (default: ${DEFAULT_FILE})`,
    "  check BASE_URL  call each verb of --driver MODULE, and show its result and its events",
    "",
    "check creates cards, bank links, purchases and bank transactions at the target.",
    "It exits with status 0 if all verbs work, 1 if one fails, 4 if none was called.",
  ],
  flags: {
    force: { type: "boolean", help: "let init overwrite FILE" },
    ...TARGET_FLAGS,
  },
  run: async (call) => {
    const [action, ...positionals] = call.positionals;
    if (action === "init") return init(call, positionals[0]);
    if (action === "check") return check({ ...call, positionals });
    const advice = suggestion(action ?? "", ["init", "check"], "use init or check");
    throw usageError(driver, `there is no action "${action}"; ${advice}`);
  },
};

async function init({ values }: CommandCall, file = DEFAULT_FILE): Promise<number> {
  const other = Object.keys(TARGET_FLAGS).find((flag) => values[flag] !== undefined);
  if (other !== undefined) throw usageError(driver, `init takes no --${other}`);
  if (!/\.m?js$/.test(file)) {
    const why = "the skeleton is JavaScript, which Node.js runs without a build";
    throw usageError(driver, `FILE must end in .mjs or .js, not "${file}": ${why}`);
  }
  if (values["force"] !== true && existsSync(file)) {
    throw usageError(driver, `${file} exists; give --force to overwrite it`);
  }
  await refuseUnwritable(file);
  await writeAtomically(file, renderSkeleton(basename(file)));
  const then = `npx txfeed driver check BASE_URL --driver ${file}`;
  await outputTo(process.stdout).write(`wrote ${file}; implement its verbs, then: ${then}\n`);
  return EXIT.ok;
}

async function check(call: CommandCall): Promise<number> {
  const { values } = call;
  if (values["force"] !== undefined) throw usageError(driver, "check takes no --force");
  if (values["driver"] === undefined) throw usageError(driver, "check requires --driver MODULE");
  if (values["profile"] === "mock") throw usageError(driver, "check excludes --profile mock");
  const target = await targetIn(driver, call);
  const out = outputTo(process.stdout);
  const style = styleFor(process.stdout);
  const interruption = onInterruption(() =>
    console.error("txfeed: stopping. Press Ctrl-C again to exit immediately"),
  );
  try {
    const trial = await tryDriver(target, {
      signal: interruption.signal,
      onTried: (tried) => out.write(`${renderTried(tried, style)}\n`),
    });
    await out.write(`${renderEnd(trial, style)}\n`);
    return interruption.status() ?? statusOf(trial);
  } finally {
    interruption.release();
    endSoon();
  }
}

function statusOf({ tried, brokenOff }: Trial): number {
  if (tried.some(({ problems }) => problems.length > 0)) return EXIT.found;
  const isDecided = tried.some(({ ms }) => ms !== undefined) && brokenOff === undefined;
  return isDecided ? EXIT.ok : EXIT.undecided;
}

const VERB_WIDTH = 18;
const TIME_WIDTH = 8;
const MAX_PROBLEM = 300;
const MAX_WIDTH = 100;

/** Renders a call of a verb: its time, its result's fields and the events, then its problems. */
function renderTried(tried: TriedVerb, style: TextStyle): string {
  const { verb, note, ms, fields, events, problems, untried } = tried;
  const isBad = problems.length > 0;
  const mark = untried ? style.warn("-") : isBad ? style.bad("x") : style.good("+");
  const time = ms === undefined ? "" : ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
  const seen = [
    note && `(${note})`,
    untried && `not called: ${untried}`,
    fields.length > 0 && `{ ${fields.join(", ")} }`,
    events.length > 0 && style.dim(events.join(", ")),
  ].filter(Boolean);
  const line = `${mark} ${verb.padEnd(VERB_WIDTH)}${time.padStart(TIME_WIDTH)}  ${seen.join(" ")}`;
  const indent = " ".repeat(2 + VERB_WIDTH + TIME_WIDTH + 2);
  return [
    line.trimEnd(),
    ...problems.map((one) => `${indent}${style.bad(printable(shortened(one, MAX_PROBLEM)))}`),
  ].join("\n");
}

/** Renders what the missing verbs would decide, then the sum. */
function renderEnd(trial: Trial, style: TextStyle): string {
  const { tried, missing, receives, brokenOff } = trial;
  const lines = missing.flatMap((verb) => {
    const { requirements, claims } = needFor(verb, checks);
    if (requirements.length === 0) return [];
    const amount = claims.length === 0 ? "" : `${counted(claims.length, "claim")} of `;
    const text = wrapped(`${amount}${requirements.join(", ")}`, MAX_WIDTH - 2 - VERB_WIDTH);
    return [`- ${verb.padEnd(VERB_WIDTH)}${text.join(`\n${" ".repeat(2 + VERB_WIDTH)}`)}`];
  });
  const failing = verbsOf(tried.filter(({ problems }) => problems.length > 0));
  const idle = verbsOf(tried.filter(({ untried }) => untried !== undefined));
  const working = verbsOf(tried).filter((verb) => !failing.includes(verb) && !idle.includes(verb));
  const sum = [
    style.good(`${counted(working.length, "verb")} work`.replace(/^1 verb work$/, "1 verb works")),
    ...(failing.length > 0 ? [style.bad(`${failing.length} failing: ${failing.join(", ")}`)] : []),
    ...(idle.length > 0 ? [`${idle.length} not called: ${idle.join(", ")}`] : []),
    ...(missing.length > 0 ? [`${missing.length} missing`] : []),
  ].join(", ");
  return [
    ...(lines.length > 0
      ? ["", "Missing verbs, and what they would help to decide:", ...lines]
      : []),
    "",
    ...(receives ? [] : [NOT_RECEIVING]),
    ...(brokenOff === undefined ? [] : [`The trial stopped early: ${printable(brokenOff)}`]),
    sum,
  ].join("\n");
}

const NOT_RECEIVING =
  "No events were checked: implement subscribe, or give --webhook-listen HOST:PORT.";

function verbsOf(tried: readonly TriedVerb[]): string[] {
  return [...new Set(tried.map(({ verb }) => verb))];
}

const HEAD = `// @ts-check
// A driver for \`txfeed conformance\`: it triggers events in your system. Uncomment the verbs that
// you implement; all are optional. Try them against your system:
//   npx txfeed driver check BASE_URL --driver ./FILE

/**
 * @param {import("txfeed/conformance").DriverContext} context
 * @returns {import("txfeed/conformance").Driver}
 */
export default function driver({ baseUrl, networks }) {
  // Calls your system's test API. Replace it.
  /** @type {(verb: string, params?: object) => Promise<any>} */
  const call = async (verb, params = {}) => {
    const response = await fetch(\`\${baseUrl}/test/\${verb}\`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    if (!response.ok) throw new Error(\`\${verb}: \${response.status} \${await response.text()}\`);
    const text = await response.text();
    return text === "" ? {} : JSON.parse(text);
  };

  return {`;

const TAIL = `  };
}
`;

/**
 * Renders a driver's skeleton: JavaScript with types, whose verbs are comments until they are
 * implemented.
 *
 * @param file Its name, for its first comment.
 */
function renderSkeleton(file: string): string {
  const documented = documentation();
  const members = verbs.map((verb) => renderVerb(verb, documented.get(verb)));
  return [HEAD.replace("FILE", file), members.join("\n\n"), TAIL].join("\n");
}

/** The width of the text of a comment. */
const DOC_WIDTH = 90;

interface VerbDocs {
  readonly lines: readonly string[];
  /** The names of the parameters. */
  readonly params: readonly string[];
  /** Whether the verb may be called without parameters. */
  readonly isOptional: boolean;
}

/** Reads the documentation of the verbs from the declaration of the interface `Driver`. */
function documentation(): Map<string, VerbDocs> {
  // The package has only the declarations.
  const files = ["../driver.ts", "../driver.d.ts"].map((name) => new URL(name, import.meta.url));
  const file = files.find((url) => existsSync(url));
  const text = file ? readFileSync(file, "utf8") : "";
  const [, members = ""] = text.split("export interface Driver {\n");
  const [, ...commented] = members.split("/**");
  return new Map(
    commented.flatMap((member): [string, VerbDocs][] => {
      const [doc = "", code = ""] = member.split("*/");
      const [, verb = ""] = /^\s*(\w+)\?\(/.exec(code) ?? [];
      const [params = ""] = code.slice(code.indexOf("(") + 1).split("): Promise<");
      const lines = doc
        .replace(/\{@link (\w+)\}/g, "$1")
        .trim()
        .split("\n")
        .map((line) => line.replace(/^\s*\* ?/, ""));
      const fields = params.slice(params.indexOf("{") + 1);
      const names = [...fields.matchAll(/(?<!\w)(\w+)\??:/g)].map(([, name = ""]) => name);
      return verb ? [[verb, { lines, params: names, isOptional: /^\w+\?:/.test(params) }]] : [];
    }),
  );
}

const UNDOCUMENTED: VerbDocs = { lines: [], params: [], isOptional: false };

function renderVerb(verb: Verb, docs: VerbDocs = UNDOCUMENTED): string {
  const { lines, params, isOptional } = docs;
  const { requirements, claims } = needFor(verb, checks);
  const amount = claims.length === 0 ? "" : `${counted(claims.length, "claim")} of `;
  const need = `Helps to decide ${amount}${requirements.join(", ")}.`;
  const advice = requirements.length === 0 ? [] : ["", ...wrapped(need, DOC_WIDTH)];
  const fields = Object.keys(RESULT_FIELDS[verb] ?? {});
  const given = params.length === 0 ? "" : `{ ${params.join(", ")} }`;
  const called = `await call("${verb}"${given && `, ${given}`})`;
  const body =
    fields.length === 0
      ? [`  ${called};`]
      : [`  const { ${fields.join(", ")} } = ${called};`, `  return { ${fields.join(", ")} };`];
  return [
    "    /**",
    ...[...lines, ...advice].map((line) => `     * ${line}`.trimEnd()),
    "     */",
    `    // async ${verb}(${given && isOptional ? `${given} = {}` : given}) {`,
    ...body.map((line) => `    // ${line}`),
    "    // },",
  ].join("\n");
}
