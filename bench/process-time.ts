import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { median, rotate } from "./measure.ts";

const run = promisify(execFile);

/** Ends a program that is measured: it prints its process time, user and system, in ms. */
export const PRINT_PROCESS_MS = `const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system) / 1000));
`;

/** The process time of whole programs, in milliseconds. */
export interface ProcessTimes {
  readonly bareMs: number;
  /** What each takes over the bare one, by its name. */
  readonly addedMs: Readonly<Record<string, number>>;
}

/**
 * Runs programs by turns, each in a process of its own, and takes the middle.
 *
 * @param bare The file of a program that does as much as all of them, and no more.
 * @param files The files of the others, by their names.
 */
export async function processTimes(
  bare: string,
  files: Readonly<Record<string, string>>,
  turns: number,
): Promise<ProcessTimes> {
  const bareMs: number[] = [];
  const addedMs = new Map<string, number[]>(Object.keys(files).map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    const alone = await processMs(bare);
    bareMs.push(alone);
    for (const [name, file] of rotate(Object.entries(files), turn)) {
      addedMs.get(name)?.push((await processMs(file)) - alone);
    }
  }
  const medians = [...addedMs].map(([name, values]) => [name, median(values)] as const);
  return { bareMs: median(bareMs), addedMs: Object.fromEntries(medians) };
}

async function processMs(file: string): Promise<number> {
  const { stdout } = await run(process.execPath, [file]);
  return Number(stdout);
}

/** A process time as tables show it. */
export function millisecondsText(value: number): string {
  return `${value.toFixed(1)} ms`;
}
