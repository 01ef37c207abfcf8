import { type TxfeedError, UnreachableError, UsageError } from "../errors.ts";
import { suggestion } from "../nearest.ts";
import type { Control, Outcome, VerbDescription } from "../sandbox/control/client.ts";
import { ControlError, createControlClient } from "../sandbox/control/client.ts";
import { counted, printable } from "../text.ts";
import { type Command, EXIT, usageError } from "./command.ts";
import { JSON_FLAG } from "./format.ts";
import { outputTo, warn } from "./output.ts";
import { SANDBOX_PORT } from "./sandbox.ts";
import { styleFor } from "./terminal.ts";
import { paramsIn, renderVerb, renderVerbHelp, renderVerbs } from "./trigger-verbs.ts";

const DEFAULT_URL = `http://127.0.0.1:${SANDBOX_PORT}`;

/** `txfeed trigger`: triggers an event in a running sandbox. */
export const trigger: Command = {
  name: "trigger",
  positionals: ["[VERB]", "[NAME=VALUE...]"],
  summary: "triggers an event in a running sandbox, such as a purchase",
  notes: [
    "Without VERB, it lists the verbs. txfeed trigger VERB --help describes one.",
    "Arguments have the names that --list shows: amount=12.5 merchant.mcc=5411. Lists are JSON.",
    "Omitted arguments get defaults; an omitted id means the most recent applicable resource.",
  ],
  flags: {
    url: { type: "string", value: "URL", help: `URL of the sandbox (default: ${DEFAULT_URL})` },
    list: { type: "boolean", help: "list the verbs with their arguments; needs no sandbox" },
    json: JSON_FLAG,
  },
  examples: [
    { command: "txfeed trigger --list", does: "list the verbs" },
    { command: "txfeed trigger purchase --list", does: "list the arguments of a verb" },
    { command: "txfeed trigger purchase amount=12.5", does: "make a purchase of 12.50" },
    { command: "txfeed trigger bank-post --json", does: "post it at the bank, for a program" },
  ],
  helpOf: async (name) => {
    const verb = (await ownVerbs()).find((one) => one.name === name);
    return verb && renderVerbHelp(verb, trigger.flags);
  },
  run: async ({ positionals: [name, ...words], values }) => {
    const url = controlUrlOf(String(values.url ?? DEFAULT_URL));
    const control = createControlClient(url);
    const isList = values.list === true || name === undefined;
    const verbs = isList ? await ownVerbs() : await verbsOf(control, url);
    const found = verbs.filter((one) => name === undefined || one.name === name);
    if (found.length === 0 && name !== undefined) {
      const known = verbs.map((one) => one.name);
      const advice = suggestion(name, known, `the verbs are ${known.join(", ")}`);
      throw usageError(trigger, `there is no verb "${name}"; ${advice}`);
    }
    const [verb] = found;
    const done = isList || verb === undefined ? found : await run(control, verb, words);
    if (!done) return EXIT.found;
    const render = () => ("verb" in done ? renderOutcome(done) : renderList(done, name));
    await outputTo(process.stdout).write(`${values.json ? JSON.stringify(done) : render()}\n`);
    return EXIT.ok;
  },
};

/** The URL of the control API, given that URL or the sandbox's. */
function controlUrlOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(trigger, `--url takes the URL of a sandbox, not "${text}"`);
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  return url.origin + (path.endsWith("/_sandbox") ? path : `${path}/_sandbox`);
}

/** The verbs of this version's sandbox, without a running one. */
async function ownVerbs(): Promise<readonly VerbDescription[]> {
  const { verbDescriptions } = await import("../sandbox/index.ts");
  return verbDescriptions();
}

/**
 * The verbs of a running sandbox.
 *
 * @throws {TxfeedError} `unreachable` if there is no sandbox at the URL.
 */
async function verbsOf(control: Control, url: string): Promise<readonly VerbDescription[]> {
  try {
    const verbs: unknown = await control.verbs();
    if (Array.isArray(verbs)) return verbs;
  } catch (error) {
    if (error instanceof ControlError) throw noSandbox(url, error.detail, error);
    const { message } = error as Error;
    throw new UnreachableError(`${message}; start a sandbox with: txfeed sandbox`, {
      cause: error,
    });
  }
  throw noSandbox(url, "it has no verbs");
}

/** The error for a response that another program may have sent. */
function noSandbox(url: string, why: string, cause?: unknown): TxfeedError {
  const message = `the server at ${url} is not a sandbox, or not a compatible one: ${why}`;
  return new UnreachableError(message, { cause });
}

/** Runs a verb. Prints why and returns undefined if it does not apply in the current state. */
async function run(
  control: Control,
  verb: VerbDescription,
  words: readonly string[],
): Promise<Outcome | undefined> {
  const params = paramsIn(verb, words);
  try {
    return await control.trigger(verb.name, params as never);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const { detail } = error;
    if (error.status === 400) {
      const where = `txfeed trigger ${verb.name} --list`;
      throw new UsageError(`${detail} (see: ${where})`, { cause: error });
    }
    warn(`txfeed: ${detail}`);
    return undefined;
  }
}

function renderOutcome({ verb, result, events }: Outcome): string {
  const style = styleFor(process.stdout);
  const sent = events.map(({ name, resource }) => [name, resource] as const);
  const results = Object.entries(result).map(([name, value]) => [name, shown(value)] as const);
  const width = Math.max(0, ...[...sent, ...results].map(([name]) => name.length)) + 2;
  const row = ([name, value]: readonly [string, string]) =>
    `  ${printable(name).padEnd(width)}${style.dim(printable(value))}`;
  // The posting of a bank that is not connected.
  const isEmpty = results.every(([, value]) => value === NONE);
  const blocks = [sent, isEmpty ? [] : results].filter((rows) => rows.length > 0);
  const done = `${style.good("✓")} ${verb}: ${counted(events.length, "event")} sent`;
  const last = isEmpty ? `${done}; it has created nothing yet` : done;
  return [...blocks.flatMap((rows) => [...rows.map(row), ""]), last].join("\n");
}

const NONE = "none";

function shown(value: unknown): string {
  const values = [value].flat().filter((one) => one !== null);
  return values.length === 0 ? NONE : values.join(" ");
}

function renderList(verbs: readonly VerbDescription[], name: string | undefined): string {
  const { dim } = styleFor(process.stdout);
  const [verb] = verbs;
  return name !== undefined && verb ? renderVerb(verb, dim) : renderVerbs(verbs, dim);
}
