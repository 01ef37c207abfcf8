import { type EventName, eventNames } from "../contract/index.ts";
import { suggestion } from "../nearest.ts";
import { type Command, type CommandCall, EXIT, usageError } from "./command.ts";
import { formatIn, networksIn, REPORT_FLAGS } from "./contract-flags.ts";
import { readBare, readEnvelope } from "./envelope.ts";
import { FindingGroups } from "./finding-groups.ts";
import { renderReport } from "./findings-report.ts";
import { type Input, inputsNamed } from "./input.ts";
import { type Line, linesIn, wholeOf } from "./lines.ts";
import { type Output, outputTo } from "./output.ts";
import { type Progress, progressOn } from "./progress.ts";
import { SARIF_FLAG, type SarifFile, sarifIn } from "./sarif-flag.ts";
import { styleFor } from "./style.ts";
import { renderTally, Tally } from "./tally.ts";
import { Unreadable } from "./unreadable.ts";
import { type Validation, type ValidationOptions, validateEnvelope } from "./validation.ts";

/** `txfeed validate`: judges payloads one by one. */
export const validate: Command = {
  name: "validate",
  positionals: ["[FILE...]"],
  summary: "judges payloads, one JSON a line; standard input without FILE",
  notes: [
    'a delivery:  {"headers":{"webhook-event-type":NAME},"body":{...}}, or "rawBody" as it came',
    'a response:  {"operation":"GET /transactions/{transactionId}","status":200,"body":{...}}',
  ],
  flags: {
    event: { type: "string", value: "NAME", help: "each FILE is one bare payload of this event" },
    ...REPORT_FLAGS,
    sarif: SARIF_FLAG,
  },
  run: async ({ positionals, values }) => {
    const options = {
      networks: networksIn(validate, values),
      isStrict: values.strict === true,
    };
    const isJson = formatIn(validate, values) === "json";
    const event = eventIn(values);
    const inputs = await inputsNamed(positionals);
    const sarif = await sarifIn(validate, values, inputs);
    const out = outputTo(process.stdout);
    const printed = isJson ? reportJson(inputs, out) : reportText(inputs, out);
    const report = sarif ? alsoSarif(printed, sarif) : printed;
    // The lines of JSON on a terminal are progress enough.
    const progress = progressOn(isJson ? undefined : process.stderr);
    try {
      return await judgeAll(inputs, event, options, { ...report, progress });
    } finally {
      progress.clear();
    }
  },
};

/** The event that `--event` names. Throws a TxfeedError `usage` if there is no such event. */
function eventIn({ event }: CommandCall["values"]): EventName | undefined {
  const name = eventNames.find((one) => one === event);
  if (event === undefined || name) return name;
  const advice = suggestion(String(event), eventNames, `the events are ${eventNames.join(", ")}`);
  throw usageError(validate, `--event: there is no event '${event}'; ${advice}`);
}

/** What becomes of judgements. */
interface Report {
  readonly add: (input: Input, line: Line, judgement: Validation) => void;
  /** Called when the lines that came together are judged; resolves to false to end the run. */
  readonly flush: () => Promise<boolean>;
  readonly end: (tally: Tally) => Promise<void>;
}

async function judgeAll(
  inputs: readonly Input[],
  event: string | undefined,
  options: ValidationOptions,
  report: Report & { readonly progress: Progress },
): Promise<number> {
  const tally = new Tally();
  for (const input of inputs) {
    const batches = event === undefined ? linesIn(input.read()) : wholeOf(input.read());
    for await (const batch of batches) {
      for (const line of batch) {
        const judgement = validateEnvelope(envelopeOf(line, event), options);
        tally.add(judgement);
        report.add(input, line, judgement);
      }
      report.progress.show(tally.payloads);
      if (!(await report.flush())) return statusOf(tally);
    }
  }
  report.progress.clear();
  await report.end(tally);
  return statusOf(tally);
}

function envelopeOf(line: Line, event: string | undefined) {
  if ("problem" in line) return { kind: "unreadable", problem: line.problem } as const;
  return event === undefined ? readEnvelope(line.text) : readBare(event, line.text);
}

function statusOf({ payloads, ok }: Tally): number {
  return ok < payloads ? EXIT.found : EXIT.ok;
}

/** A line of JSON a payload, in order. */
function reportJson(inputs: readonly Input[], out: Output): Report {
  let pending = "";
  return {
    add({ name }, { number }, { ok, findings, problem }) {
      const file = inputs.length > 1 ? { file: name } : {};
      const error = problem === undefined ? {} : { error: problem };
      pending += `${JSON.stringify({ ...file, line: number, ok, findings, ...error })}\n`;
    },
    async flush() {
      const text = pending;
      pending = "";
      await out.write(text);
      return !out.isClosed;
    },
    end: async () => {},
  };
}

/** The same faults together, and the sum last. */
function reportText(inputs: readonly Input[], out: Output): Report {
  const startedAt = performance.now();
  const faults = new FindingGroups();
  const unreadable = new Unreadable();
  const style = styleFor(process.stdout);
  return {
    add({ name }, { number }, { subject, findings, problem }) {
      const place = inputs.length > 1 ? `${name}:${number}` : String(number);
      for (const finding of findings) faults.add(finding, subject, place);
      if (problem !== undefined) unreadable.add(place, problem);
    },
    flush: async () => true,
    async end(tally) {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const sum = `${renderTally(tally, style)}, ${seconds} s`;
      await out.write(renderReport({ unreadable, faults, sum }, style));
    },
  };
}

/** The same with a SARIF log, which is of all that is there even where nobody reads the report. */
function alsoSarif(report: Report, { log, write }: SarifFile): Report {
  return {
    add(input, line, judgement) {
      const { name } = input;
      const { findings, problem } = judgement;
      for (const finding of findings) log.add(finding, name, [line.number]);
      if (problem !== undefined) log.addUnreadable(name, line.number, problem);
      report.add(input, line, judgement);
    },
    async flush() {
      await report.flush();
      return true;
    },
    async end(tally) {
      await write(tally.unreadable);
      await report.end(tally);
    },
  };
}
