import { type EventName, eventNames } from "../contract/index.ts";
import { suggestion } from "../nearest.ts";
import { type Command, type CommandCall, EXIT, usageError } from "./command.ts";
import { networksIn, REPORT_FLAGS } from "./contract-flags.ts";
import { readBare, readEnvelope } from "./envelope.ts";
import { FindingGroups, Unreadable } from "./finding-groups.ts";
import { renderReport } from "./findings-report.ts";
import { FORMAT_FLAG, formatIn, JSON_LINES_FLAG } from "./format.ts";
import { completeDocument, type Input, inputsNamed, type Line, linesIn } from "./input.ts";
import { isFile, type Output, outputTo } from "./output.ts";
import { type Progress, progressOn } from "./progress.ts";
import { SARIF_FLAG, type SarifFile, sarifIn } from "./sarif.ts";
import { styleFor } from "./terminal.ts";
import {
  countingText,
  renderTally,
  Tally,
  type Validation,
  type ValidationOptions,
  validateEnvelope,
} from "./validation.ts";

/** `txfeed validate`: validates payloads one by one. */
export const validate: Command = {
  name: "validate",
  positionals: ["[FILE...]"],
  summary: "validates payloads, one JSON object per line (default: standard input)",
  notes: [
    'a delivery:  {"headers":{"webhook-event-type":NAME},"body":{...}}, or "rawBody" as a string',
    'a response:  {"operation":"GET /transactions/{transactionId}","status":200,"body":{...}}',
  ],
  flags: {
    event: { type: "string", value: "NAME", help: "read each FILE as one body of this event" },
    ...REPORT_FLAGS,
    sarif: SARIF_FLAG,
    json: JSON_LINES_FLAG,
    format: FORMAT_FLAG,
  },
  examples: [
    { command: "txfeed validate capture.ndjson", does: "validate each payload of a capture" },
    { command: "txfeed validate --json capture.ndjson", does: "print a result per payload" },
    {
      command: "txfeed validate --event transaction.updated body.json",
      does: "validate one bare payload",
    },
    {
      command: "txfeed validate --sarif findings.sarif capture.ndjson",
      does: "write a file for code scanning",
    },
  ],
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
    const printed = isJson ? jsonReport(inputs, out) : textReport(inputs, out);
    const report = sarif ? withSarif(printed, sarif) : printed;
    // On a terminal, or in a pipe to one, the lines of JSON show the progress.
    const progress = progressOn(isJson && !isFile(process.stdout) ? undefined : process.stderr);
    try {
      return await validateAll(inputs, event, options, { ...report, progress });
    } finally {
      progress.end();
    }
  },
};

/**
 * The event of `--event`; undefined if the flag is absent.
 *
 * @throws {TxfeedError} `usage` if there is no such event.
 */
function eventIn({ event }: CommandCall["values"]): EventName | undefined {
  const name = eventNames.find((one) => one === event);
  if (event === undefined || name) return name;
  const advice = suggestion(String(event), eventNames, `the events are ${eventNames.join(", ")}`);
  throw usageError(validate, `--event: there is no event "${event}"; ${advice}`);
}

/** Reports validations. */
interface Report {
  readonly add: (input: Input, line: Line, validation: Validation) => void;
  /** Called after each batch of lines. Resolves to false to end the run. */
  readonly flush: () => Promise<boolean>;
  readonly end: (tally: Tally) => Promise<void>;
}

async function validateAll(
  inputs: readonly Input[],
  event: string | undefined,
  options: ValidationOptions,
  report: Report & { readonly progress: Progress },
): Promise<number> {
  const tally = new Tally();
  for (const input of inputs) {
    const batches = event === undefined ? linesIn(input.read()) : completeDocument(input.read());
    for await (const batch of batches) {
      for (const line of batch) {
        const validation = validateEnvelope(envelopeOf(line, event), options);
        tally.add(validation);
        report.add(input, line, validation);
      }
      report.progress.show(countingText(tally.payloads, "payload"));
      if (!(await report.flush())) return statusOf(tally);
    }
  }
  report.progress.end();
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

/** Prints a line of JSON per payload, in order. */
function jsonReport(inputs: readonly Input[], out: Output): Report {
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

/** Prints groups of findings and a summary. */
function textReport(inputs: readonly Input[], out: Output): Report {
  const startedAt = performance.now();
  const groups = new FindingGroups();
  const unreadable = new Unreadable();
  const style = styleFor(process.stdout);
  return {
    add({ name }, { number }, { subject, findings, problem }) {
      const place = inputs.length > 1 ? `${name}:${number}` : String(number);
      for (const finding of findings) groups.add(finding, subject, place);
      if (problem !== undefined) unreadable.add(place, problem);
    },
    flush: async () => true,
    async end(tally) {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const summary = `${renderTally(tally, style)}, ${seconds} s`;
      await out.write(renderReport({ unreadable, groups, summary }, style));
    },
  };
}

/** Adds a SARIF log to a report. The log is complete even if the reader of the report closes it. */
function withSarif(report: Report, { log, write }: SarifFile): Report {
  return {
    add(input, line, validation) {
      const { name } = input;
      const { findings, problem } = validation;
      for (const finding of findings) log.add(finding, name, [line.number]);
      if (problem !== undefined) log.addUnreadable(name, line.number, problem);
      report.add(input, line, validation);
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
