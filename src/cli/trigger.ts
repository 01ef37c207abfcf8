import { type TxfeedError, UnreachableError, UsageError } from "../errors.ts";
import type { Control, Outcome, VerbDescription } from "../sandbox/control/client.ts";
import { ControlError, createControlClient } from "../sandbox/control/client.ts";
import { counted, printable } from "../text.ts";
import { type Command, EXIT, usageError } from "./command.ts";
import { outputTo } from "./output.ts";
import { SANDBOX_PORT } from "./sandbox.ts";
import { styleFor } from "./style.ts";
import { renderVerb, renderVerbs } from "./trigger-list.ts";
import { paramsIn } from "./trigger-params.ts";

const DEFAULT_URL = `http://127.0.0.1:${SANDBOX_PORT}`;

/** `txfeed trigger`: makes something happen in a sandbox that runs. */
export const trigger: Command = {
  name: "trigger",
  positionals: ["[SCENARIO]", "[NAME=VALUE...]"],
  summary: "makes something happen in a sandbox that runs, such as a purchase",
  notes: [
    "Members are named as they are listed, within others by a dot: amount=12.5 merchant.mcc=5411.",
    "Lists are JSON. What is left out is chosen: of ids, the latest for which it makes sense.",
  ],
  flags: {
    url: { type: "string", value: "URL", help: `the sandbox; ${DEFAULT_URL} unless set` },
    list: { type: "boolean", help: "lists the scenarios and what each takes; needs no sandbox" },
    json: { type: "boolean", help: "prints one line of JSON" },
  },
  run: async ({ positionals: [scenario, ...words], values }) => {
    const url = controlUrlOf(String(values.url ?? DEFAULT_URL));
    const control = createControlClient(url);
    const isList = values.list === true || scenario === undefined;
    const verbs = isList ? await ownVerbs() : await verbsOf(control, url);
    const found = verbs.filter(({ name }) => scenario === undefined || name === scenario);
    if (found.length === 0 && scenario !== undefined) {
      const known = verbs.map(({ name }) => name).join(", ");
      throw usageError(trigger, `there is no scenario '${scenario}' (there are: ${known})`);
    }
    const [verb] = found;
    const done = isList || verb === undefined ? found : await carriedOut(control, verb, words);
    if (!done) return EXIT.found;
    const render = () => ("verb" in done ? renderOutcome(done) : renderList(done, scenario));
    await outputTo(process.stdout).write(`${values.json ? JSON.stringify(done) : render()}\n`);
    return EXIT.ok;
  },
};

/** The address of the control API, of it or of the sandbox. */
function controlUrlOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(trigger, `--url takes the address of a sandbox, not '${text}'`);
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  return url.origin + (path.endsWith("/_sandbox") ? path : `${path}/_sandbox`);
}

/** What this version's sandbox has: no sandbox needs to run. */
async function ownVerbs(): Promise<readonly VerbDescription[]> {
  const { verbDescriptions } = await import("../sandbox/index.ts");
  return verbDescriptions();
}

/** What there is. Throws a TxfeedError `unreachable` where the address is no sandbox's. */
async function verbsOf(control: Control, url: string): Promise<readonly VerbDescription[]> {
  try {
    const verbs: unknown = await control.verbs();
    if (Array.isArray(verbs)) return verbs;
  } catch (error) {
    if (error instanceof ControlError) throw noSandbox(url, printable(error.detail), error);
    const { message } = error as Error;
    throw new UnreachableError(`${message} (txfeed sandbox starts one)`, {
      cause: error,
    });
  }
  throw noSandbox(url, "it has no verbs");
}

/** It answers in a sandbox's way, as another program may, or where a name leads to it. */
function noSandbox(url: string, why: string, cause?: unknown): TxfeedError {
  const message = `what answers at ${url} is no sandbox, or none for this: ${why}`;
  return new UnreachableError(message, { cause });
}

/** What it did; undefined where it does not apply now, which is said. */
async function carriedOut(
  control: Control,
  verb: VerbDescription,
  words: readonly string[],
): Promise<Outcome | undefined> {
  const params = paramsIn(verb, words);
  try {
    return await control.trigger(verb.name, params as never);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const detail = printable(error.detail);
    if (error.status === 400) {
      const where = `txfeed trigger ${verb.name} --list`;
      throw new UsageError(`${detail} (see: ${where})`, { cause: error });
    }
    console.error(`txfeed: ${detail}`);
    return undefined;
  }
}

function renderOutcome({ verb, result, events }: Outcome): string {
  const style = styleFor(process.stdout);
  const sent = events.map(({ name, resource }) => [name, resource] as const);
  const told = Object.entries(result).map(([name, value]) => [name, shown(value)] as const);
  const width = Math.max(0, ...[...sent, ...told].map(([name]) => name.length)) + 2;
  const row = ([name, value]: readonly [string, string]) =>
    `  ${name.padEnd(width)}${style.dim(printable(value))}`;
  const blocks = [sent, told].filter((rows) => rows.length > 0);
  const last = `${style.good("✓")} ${verb}: ${counted(events.length, "event")} sent`;
  return [...blocks.flatMap((rows) => [...rows.map(row), ""]), last].join("\n");
}

function shown(value: unknown): string {
  const values = [value].flat().filter((one) => one !== null);
  return values.length === 0 ? "none" : values.join(" ");
}

function renderList(verbs: readonly VerbDescription[], scenario: string | undefined): string {
  const { dim } = styleFor(process.stdout);
  const [verb] = verbs;
  return scenario !== undefined && verb ? renderVerb(verb, dim) : renderVerbs(verbs, dim);
}
