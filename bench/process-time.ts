import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { median, rotate } from "./measure.ts";

const run = promisify(execFile);

/** The end of each measured program: it prints the CPU time (user and system) in milliseconds. */
export const PRINT_PROCESS_MS = `const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system) / 1000));
`;

/** CPU time of programs, in milliseconds. */
export interface ProcessTimes {
  readonly bareMs: number;
  /** The additional time of each program, by name. */
  readonly addedMs: Readonly<Record<string, number>>;
}

/**
 * Runs programs in turn, each in its own process, and returns the medians.
 *
 * @param bare File of the baseline program: the work that all programs have in common.
 * @param files Files of the other programs, by name.
 */
export async function processTimes(
  bare: string,
  files: Readonly<Record<string, string>>,
  turns: number,
): Promise<ProcessTimes> {
  const bareMs: number[] = [];
  const addedMs = new Map<string, number[]>(Object.keys(files).map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    const baselineMs = await processMs(bare);
    bareMs.push(baselineMs);
    for (const [name, file] of rotate(Object.entries(files), turn)) {
      addedMs.get(name)?.push((await processMs(file)) - baselineMs);
    }
  }
  const medians = [...addedMs].map(([name, values]) => [name, median(values)] as const);
  return { bareMs: median(bareMs), addedMs: Object.fromEntries(medians) };
}

async function processMs(file: string): Promise<number> {
  const { stdout } = await run(process.execPath, [file]);
  return Number(stdout);
}

/** Formats milliseconds. */
export function millisecondsText(value: number): string {
  return `${value.toFixed(1)} ms`;
}
