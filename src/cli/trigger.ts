import type { Control, Outcome, VerbDescription } from "../sandbox/control/client.ts";
import { ControlError, createControlClient } from "../sandbox/control/client.ts";
import { type Command, EXIT, usageError } from "./command.ts";
import { outputTo } from "./output.ts";
import { counted, printable } from "./printable.ts";
import { SANDBOX_PORT } from "./sandbox.ts";
import { styleFor } from "./style.ts";
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
    list: { type: "boolean", help: "lists what can be made to happen, and what each takes" },
    json: { type: "boolean", help: "prints one line of JSON" },
  },
  run: async ({ positionals: [scenario, ...words], values }) => {
    const control = createControlClient(controlUrlOf(String(values.url ?? DEFAULT_URL)));
    const verbs = await control.verbs();
    const found = verbs.filter(({ name }) => scenario === undefined || name === scenario);
    if (found.length === 0 && scenario !== undefined) {
      const known = verbs.map(({ name }) => name).join(", ");
      throw usageError(trigger, `there is no scenario '${scenario}' (there are: ${known})`);
    }
    const [verb] = found;
    const isList = values.list === true || scenario === undefined || verb === undefined;
    const done = isList ? found : await carriedOut(control, verb, words);
    if (!done) return EXIT.found;
    const render = () => ("verb" in done ? renderOutcome(done) : renderList(done));
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
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (path.endsWith("/_sandbox") ? path : `${path}/_sandbox`);
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
    if (error.status === 400) throw usageError(trigger, detail);
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

function renderList(verbs: readonly VerbDescription[]): string {
  const style = styleFor(process.stdout);
  const names = Math.max(0, ...verbs.map(({ name }) => name.length)) + 2;
  const summaries = Math.max(0, ...verbs.map(({ summary }) => summary.length)) + 2;
  const rows = verbs.flatMap(({ name, summary, requirements, params }) => {
    const members = Object.keys(Object(params["properties"])).join(" ");
    const first = `  ${name.padEnd(names)}${summary.padEnd(summaries)}${requirements.join(" ")}`;
    return [first.trimEnd(), `  ${" ".repeat(names)}${style.dim(members)}`.trimEnd()];
  });
  return [...rows, "", `txfeed trigger SCENARIO [NAME=VALUE...] does it`].join("\n");
}
