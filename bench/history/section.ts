import { median } from "../measure.ts";
import { atMost, ratioText, type SectionReport, type Table, type Target } from "../report.ts";
import type { Section } from "../section.ts";
import type { CaptureName } from "./capture.ts";
import { type Memory, measureInChild, type Speed } from "./worker.ts";

/** Limit of the time relative to `JSON.parse`, both with and without parsing. */
const LIMIT_RATIO = 2;

const MEMORY_CAPTURES: Readonly<Partial<Record<CaptureName, string>>> = {
  steady: "changes of the same resources",
  passing: "bank transactions created and deleted",
};

interface Row {
  readonly title: string;
  readonly lines: number;
  readonly memory: Memory;
}

/** Time of `checkHistory` relative to `JSON.parse` of the same capture, and its memory. */
export const history: Section = async ({ processes, isQuick }) => {
  const lines = isQuick ? 2000 : 24_000;
  const speeds: Speed[] = [];
  for (let turn = 0; turn < processes; turn += 1) {
    const rounds = isQuick ? 1 : 7;
    speeds.push(await measureInChild({ measure: "speed", lines, rounds }));
  }
  const rows: Row[] = [];
  for (const [capture, title] of Object.entries(MEMORY_CAPTURES)) {
    for (const count of isQuick ? [20_000] : [100_000, 1_000_000]) {
      const job = { measure: "memory", capture: capture as CaptureName, lines: count } as const;
      rows.push({ title, lines: count, memory: await measureInChild(job) });
    }
  }
  return reportOf(lines, speeds, rows);
};

function reportOf(lines: number, speeds: readonly Speed[], rows: readonly Row[]): SectionReport {
  const withParse = median(speeds.map((speed) => speed.withParse));
  const megabytes = (speeds[0]?.characters ?? 0) / 1e6;
  const tables: Table[] = [
    {
      title: `History of ${lines.toLocaleString("en")} deliveries (${megabytes.toFixed(0)} MB)`,
      columns: ["relative to JSON.parse"],
      rows: [
        ["checkHistory, parsing line by line", ratioText(withParse)],
        ["without parsing", ratioText(withParse - 1)],
      ],
      notes: noteOf(speeds[0]?.finding),
    },
    {
      title: "Memory of checkHistory, streaming",
      columns: ["lines", "heap at the end", "peak of the process"],
      rows: rows.map(({ title, lines: count, memory }) => [
        title,
        count.toLocaleString("en"),
        `+${megabytesText(memory.heapGrowthBytes)}`,
        megabytesText(memory.peakBytes),
      ]),
      notes: rows.flatMap(({ memory }) => noteOf(memory.finding)).slice(0, 1),
    },
  ];
  const text = (value: number) => `${ratioText(value)} x JSON.parse`;
  const targets = [
    atMost("checkHistory of a parsed capture", LIMIT_RATIO, withParse - 1, text),
    atMost("parsing and checkHistory", LIMIT_RATIO, withParse, text),
  ];
  return { tables, targets: [...targets, ...memoryTarget(rows)] };
}

/** The captures are valid, so a finding is a bug in the benchmark or in the check. */
function noteOf(finding: string | null | undefined): string[] {
  return finding ? [`The capture is valid, but the check reports: ${finding}`] : [];
}

/** Tolerated heap growth for longer captures: garbage collection is not exact. */
const TOLERANCE_BYTES = 2e6;

function memoryTarget(rows: readonly Row[]): Target[] {
  const [short, long] = rows.filter(({ title }) => title === MEMORY_CAPTURES.steady);
  if (!short || !long) return [];
  const growth = long.memory.heapGrowthBytes - short.memory.heapGrowthBytes;
  const what = "memory of ten times as many lines on the same resources";
  return [
    atMost(
      what,
      TOLERANCE_BYTES,
      growth,
      (bytes) => `${bytes < 0 ? "-" : "+"}${megabytesText(Math.abs(bytes))}`,
    ),
  ];
}

function megabytesText(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
