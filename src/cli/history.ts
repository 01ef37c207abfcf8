import { HistoryCheck } from "../contract/history/history-check.ts";
import { addAll } from "../contract/history/index.ts";
import {
  eventNames,
  type HistoryFinding,
  type Level,
  type RecordedDelivery,
} from "../contract/index.ts";
import { counted } from "../text.ts";
import { type Command, EXIT } from "./command.ts";
import { networksIn, REPORT_FLAGS } from "./contract-flags.ts";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { FindingGroups, Unreadable } from "./finding-groups.ts";
import { renderReport } from "./findings-report.ts";
import { FORMAT_FLAG, formatIn, JSON_FLAG } from "./format.ts";
import { inputsNamed, type Line, linesIn } from "./input.ts";
import { outputTo } from "./output.ts";
import { type Progress, progressOn } from "./progress.ts";
import { SARIF_FLAG, type SarifFile, sarifIn } from "./sarif.ts";
import { styleFor } from "./terminal.ts";
import { countingText, isOk } from "./validation.ts";

/** `txfeed history`: validates a capture as a whole. */
export const history: Command = {
  name: "history",
  positionals: ["[FILE]"],
  summary: "validates a capture: each delivery, and consistency across deliveries",
  notes: [
    "FILE (default: standard input) has one delivery per line, in the order of arrival:",
    '{"receivedAt":"...","headers":{"webhook-event-type":NAME},"body":{...}}',
  ],
  flags: {
    complete: {
      type: "boolean",
      help: "treat the capture as complete and in the order sent",
    },
    ...REPORT_FLAGS,
    sarif: SARIF_FLAG,
    json: JSON_FLAG,
    format: FORMAT_FLAG,
  },
  examples: [
    { command: "txfeed history capture.ndjson", does: "validate a capture of a part of the feed" },
    {
      command: "txfeed history --complete capture.ndjson",
      does: "report missing and misordered deliveries too",
    },
    { command: "txfeed history --json capture.ndjson", does: "print the findings for a program" },
  ],
  run: async ({ positionals, values }) => {
    const networks = networksIn(history, values);
    const isJson = formatIn(history, values) === "json";
    const [input] = await inputsNamed(positionals);
    const sarif = await sarifIn(history, values, [input]);
    const out = outputTo(process.stdout);
    const startedAt = performance.now();
    const progress = progressOn(process.stderr);
    const capture = new Capture(progress);
    const check = new HistoryCheck({ networks, complete: values.complete === true });
    const found: HistoryFinding[] = [];
    try {
      for await (const batch of linesIn(input.read())) {
        for (const delivery of capture.deliveriesIn(batch)) addAll(found, check.add(delivery));
      }
      addAll(found, check.end());
    } finally {
      progress.end();
    }
    const findings = inOrder([...capture.findings, ...found]);
    const isValid = isOk(findings, { isStrict: values.strict === true });
    const ok = isValid && capture.unreadable.count === 0;
    if (sarif) await writeSarif(sarif, input.name, findings, capture.unreadable);
    await out.write(
      isJson
        ? renderJson(ok, findings, capture.unreadable)
        : renderText(findings, capture, performance.now() - startedAt),
    );
    return ok ? EXIT.ok : EXIT.found;
  },
};

/** Reads the deliveries of a capture and collects the lines that are not deliveries. */
class Capture {
  readonly unreadable = new Unreadable();
  /** Deliveries that break WHK-01, so that they have no body to validate. */
  readonly findings: HistoryFinding[] = [];
  deliveries = 0;
  readonly #progress: Progress;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  *deliveriesIn(batch: readonly Line[]): Generator<RecordedDelivery> {
    for (const line of batch) {
      const delivery = this.#read(line);
      if (delivery) yield delivery;
    }
    this.#progress.show(countingText(this.deliveries, "delivery", "deliveries"));
  }

  #read(line: Line): RecordedDelivery | undefined {
    const { number } = line;
    const envelope: Envelope =
      "problem" in line ? { kind: "unreadable", problem: line.problem } : readEnvelope(line.text);
    switch (envelope.kind) {
      case "unreadable":
        this.unreadable.add(String(number), envelope.problem);
        return undefined;
      case "response":
        this.unreadable.add(String(number), "a response; history takes only deliveries");
        return undefined;
      case "broken":
        this.deliveries += 1;
        this.findings.push({ ...envelope.finding, lines: [number] });
        return undefined;
      case "delivery": {
        this.deliveries += 1;
        const { name, body, receivedAt } = envelope;
        return {
          headers: { "webhook-event-type": name },
          body,
          ...(receivedAt !== undefined && { receivedAt }),
          line: number,
        };
      }
    }
  }
}

/** Sorts findings by their last line. */
function inOrder(findings: readonly HistoryFinding[]): HistoryFinding[] {
  return findings.toSorted((a, b) => (a.lines.at(-1) ?? 0) - (b.lines.at(-1) ?? 0));
}

async function writeSarif(
  { log, write }: SarifFile,
  file: string,
  findings: readonly HistoryFinding[],
  { first, count }: Unreadable,
): Promise<void> {
  for (const finding of findings) log.add(finding, file, finding.lines);
  for (const { place, problem } of first) log.addUnreadable(file, Number(place), problem);
  await write(count);
}

function renderJson(
  ok: boolean,
  findings: readonly HistoryFinding[],
  { first, count }: Unreadable,
): string {
  const lines = first.map(({ place, problem }) => ({ line: Number(place), error: problem }));
  const unreadable = count > 0 ? { unreadable: { count, first: lines } } : {};
  return `${JSON.stringify({ ok, findings, ...unreadable })}\n`;
}

const EVENTS = new Set<string>(eventNames);

/** The event that a finding is about; empty if it is about several. */
function subjectOf({ message }: HistoryFinding): string {
  const [first = ""] = message.split(" ", 1);
  return EVENTS.has(first) ? first : "";
}

const MAX_LINES = 5;

function renderText(findings: readonly HistoryFinding[], capture: Capture, ms: number): string {
  const style = styleFor(process.stdout);
  const groups = new FindingGroups();
  for (const finding of findings) {
    const { lines } = finding;
    const shown = lines.slice(0, MAX_LINES).join(", ");
    groups.add(finding, subjectOf(finding), lines.length > MAX_LINES ? `${shown}, …` : shown);
  }
  const { unreadable, deliveries } = capture;
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const counts = [
    ...(unreadable.count > 0 ? [style.bad(`${counted(unreadable.count, "line")} unreadable`)] : []),
    (errors > 0 ? style.bad : style.dim)(counted(errors, "error")),
    (warnings > 0 ? style.warn : style.dim)(counted(warnings, "warning")),
    counted(count("notice"), "notice"),
    `${(ms / 1000).toFixed(1)} s`,
  ].join(", ");
  const summary = `${counted(deliveries, "delivery", "deliveries")}: ${counts}`;
  return renderReport({ unreadable, groups, summary }, style);
}
