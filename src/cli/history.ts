import { HistoryCheck } from "../contract/history/history-check.ts";
import { addAll } from "../contract/history/index.ts";
import { eventNames, type HistoryFinding, type Level } from "../contract/index.ts";
import { counted } from "../text.ts";
import { type Command, EXIT } from "./command.ts";
import { formatIn, networksIn, REPORT_FLAGS } from "./contract-flags.ts";
import { DeliveryLines } from "./delivery-lines.ts";
import { FindingGroups } from "./finding-groups.ts";
import { renderReport } from "./findings-report.ts";
import { inputsNamed } from "./input.ts";
import { linesIn } from "./lines.ts";
import { outputTo } from "./output.ts";
import { progressOn } from "./progress.ts";
import { SARIF_FLAG, type SarifFile, sarifIn } from "./sarif-flag.ts";
import { styleFor } from "./style.ts";
import type { Unreadable } from "./unreadable.ts";
import { isOk } from "./validation.ts";

/** `txfeed history`: judges a capture as a whole. */
export const history: Command = {
  name: "history",
  positionals: ["[FILE]"],
  summary: "judges a capture of deliveries: each, and what only several together show",
  notes: [
    "FILE, or standard input, has a delivery a line, in the order in which they came:",
    '{"receivedAt":"...","headers":{"webhook-event-type":NAME},"body":{...}}',
  ],
  flags: {
    complete: {
      type: "boolean",
      help: "the capture has everything from the beginning, in the order sent",
    },
    ...REPORT_FLAGS,
    sarif: SARIF_FLAG,
  },
  run: async ({ positionals, values }) => {
    const networks = networksIn(history, values);
    const isJson = formatIn(history, values) === "json";
    const [input] = await inputsNamed(positionals);
    const sarif = await sarifIn(history, values, [input]);
    const out = outputTo(process.stdout);
    const startedAt = performance.now();
    const progress = progressOn(isJson ? undefined : process.stderr);
    const capture = new DeliveryLines(progress);
    const check = new HistoryCheck({ networks, complete: values.complete === true });
    const found: HistoryFinding[] = [];
    try {
      for await (const batch of linesIn(input.read())) {
        for (const delivery of capture.deliveriesIn(batch)) addAll(found, check.add(delivery));
      }
      addAll(found, check.end());
    } finally {
      progress.clear();
    }
    const findings = inOrder([...capture.findings, ...found]);
    const isFine = isOk(findings, { isStrict: values.strict === true });
    const ok = isFine && capture.unreadable.count === 0;
    if (sarif) await writeSarif(sarif, input.name, findings, capture.unreadable);
    await out.write(
      isJson
        ? renderJson(ok, findings, capture.unreadable)
        : renderText(findings, capture, performance.now() - startedAt),
    );
    return ok ? EXIT.ok : EXIT.found;
  },
};

/** By the line that completes a finding, as somebody reading along would meet them. */
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

/** The event that a finding is about, where it is about one alone. */
function subjectOf({ message }: HistoryFinding): string {
  const [first = ""] = message.split(" ", 1);
  return EVENTS.has(first) ? first : "";
}

const MOST_LINES = 5;

function renderText(
  findings: readonly HistoryFinding[],
  capture: DeliveryLines,
  ms: number,
): string {
  const style = styleFor(process.stdout);
  const faults = new FindingGroups();
  for (const finding of findings) {
    const { lines } = finding;
    const shown = lines.slice(0, MOST_LINES).join(", ");
    faults.add(finding, subjectOf(finding), lines.length > MOST_LINES ? `${shown}, …` : shown);
  }
  const { unreadable, deliveries } = capture;
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const sum = [
    ...(unreadable.count > 0 ? [style.bad(`${counted(unreadable.count, "line")} unreadable`)] : []),
    (errors > 0 ? style.bad : style.dim)(counted(errors, "error")),
    (warnings > 0 ? style.warn : style.dim)(counted(warnings, "warning")),
    counted(count("notice"), "notice"),
    `${(ms / 1000).toFixed(1)} s`,
  ].join(", ");
  const named = `${counted(deliveries, "delivery", "deliveries")}: ${sum}`;
  return renderReport({ unreadable, faults, sum: named }, style);
}
