import { checkHistory, type RecordedDelivery } from "../../src/contract/index.ts";
import { runInChild, serveJob } from "../child.ts";
import { median, timeMs } from "../measure.ts";
import { type CaptureName, captureLines } from "./capture.ts";

/** The measurements of one process. */
export type Job =
  | { readonly measure: "speed"; readonly lines: number; readonly rounds: number }
  | { readonly measure: "memory"; readonly lines: number; readonly capture: CaptureName };

/** The time of `checkHistory` relative to `JSON.parse` of its lines. */
export interface Speed {
  /** With parsing, line by line as the check requests them. */
  readonly withParse: number;
  readonly characters: number;
  /** The first unexpected finding. */
  readonly finding: string | null;
}

/** The memory that a streaming check needs. */
export interface Memory {
  /** Heap growth in bytes, after garbage collection. */
  readonly heapGrowthBytes: number;
  /** Peak memory of the process, in bytes. */
  readonly peakBytes: number;
  readonly finding: string | null;
}

const WARM_UP_ROUNDS = 2;
/** The strictest mode. */
const COMPLETE = { complete: true };

function parseLine(text: string): RecordedDelivery {
  return JSON.parse(text) as RecordedDelivery;
}

function* parsedOf(lines: Iterable<string>): Generator<RecordedDelivery> {
  for (const text of lines) yield parseLine(text);
}

async function checked(deliveries: Iterable<RecordedDelivery>) {
  const start = performance.now();
  const { findings } = await checkHistory(deliveries, COMPLETE);
  const durationMs = performance.now() - start;
  // An account type outside the known values is a notice, not an error.
  const first = findings.find(({ level }) => level !== "notice");
  const finding = first ? `${first.requirement} at line ${first.lines[0]}: ${first.message}` : null;
  return { durationMs, finding };
}

async function measureSpeed({ lines, rounds }: Job & { measure: "speed" }): Promise<Speed> {
  const texts = [...captureLines("mixed", lines)];
  const withParse: number[] = [];
  let finding: string | null = null;
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    const parseMs = timeMs(() => {
      let parsed = 0;
      for (const text of texts) parsed += typeof parseLine(text) === "object" ? 1 : 0;
      return parsed;
    });
    const streamed = await checked(parsedOf(texts));
    finding = streamed.finding;
    if (round < WARM_UP_ROUNDS) continue;
    withParse.push(streamed.durationMs / parseMs);
  }
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return { withParse: median(withParse), characters, finding };
}

async function measureMemory({ lines, capture }: Job & { measure: "memory" }): Promise<Memory> {
  const collect = globalThis.gc;
  if (!collect) throw new Error("measuring memory requires --expose-gc");
  const inUse = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  // Allocate compiled code and module state before measuring.
  await checked(parsedOf(captureLines(capture, 1000)));
  const before = inUse();
  let atEnd = before;
  const deliveries = function* () {
    yield* parsedOf(captureLines(capture, lines));
    // Here the check still has all its state.
    atEnd = inUse();
  };
  const { finding } = await checked(deliveries());
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { heapGrowthBytes: atEnd - before, peakBytes, finding };
}

/** Measures in a separate process. */
export function measureInChild(job: Job & { measure: "speed" }): Promise<Speed>;
export function measureInChild(job: Job & { measure: "memory" }): Promise<Memory>;
export function measureInChild(job: Job): Promise<Speed | Memory> {
  return runInChild(new URL(import.meta.url), job, ["--expose-gc"]);
}

if (import.meta.main) {
  serveJob<Job, Speed | Memory>((job) =>
    job.measure === "speed" ? measureSpeed(job) : measureMemory(job),
  );
}
