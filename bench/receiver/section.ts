import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "../child.ts";
import { median, rotate } from "../measure.ts";
import { atMost, ratioText, type SectionReport, type Table, type Target } from "../report.ts";
import type { Section, SectionOptions } from "../section.ts";
import type { Block } from "./client.ts";
import { type ServerName, servers } from "./servers.ts";

const LIMIT_PERCENT = 40;
const CONNECTIONS = 16;
/** V8 still compiles code of the servers meanwhile. */
const WARM_UP_ROUNDS = 4;

const RECEIVING = ["bare", "unverified", "verified", "octokit", "express"] as const;
const STORING = ["stored", "octokitStored", "expressStored"] as const;

/** The cost of each delivery of a block. */
interface BlockCost {
  /** CPU time of the server, in milliseconds. */
  readonly processMs: number;
  /** Elapsed time, in milliseconds. */
  readonly wallMs: number;
}

/** The costs of each server, round by round. */
type Costs = Readonly<Partial<Record<ServerName, BlockCost[]>>>;

/** How much is measured in one set of processes. */
interface Extent {
  readonly rounds: number;
  readonly deliveries: number;
}

/** Measures the servers in turn, block by block. Each has a process of its own. */
async function measure(
  names: readonly ServerName[],
  { rounds, deliveries }: Extent,
  costs: Costs,
): Promise<void> {
  // Not in the folder for temporary files, which may be in memory.
  const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.receiver-"));
  const client = fork(new URL("client.ts", import.meta.url));
  const children: ChildProcess[] = [client];
  try {
    const running = new Map<ServerName, { child: ChildProcess; port: number }>();
    for (const name of names) {
      const child = fork(new URL("server.ts", import.meta.url), [name, join(folder, `${name}.db`)]);
      children.push(child);
      running.set(name, { child, port: await ask<number>(child) });
    }
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
      for (const [name, { child, port }] of rotate([...running], round)) {
        const { signature } = servers[name];
        const block: Block = { port, signature, deliveries, connections: CONNECTIONS };
        const before = await ask<number>(child, "process time");
        const wallMs = (await ask<number>(client, block)) / deliveries;
        const after = await ask<number>(child, "process time");
        const processMs = (after - before) / deliveries;
        if (round >= WARM_UP_ROUNDS) costs[name]?.push({ processMs, wallMs });
      }
    }
  } finally {
    for (const child of children) child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  names: readonly ServerName[],
  processes: number,
  extent: Extent,
): Promise<Costs> {
  const costs: Costs = Object.fromEntries(names.map((name) => [name, []]));
  for (let turn = 0; turn < processes; turn += 1) await measure(names, extent, costs);
  return costs;
}

/** Cost of the receiver, beside a bare server and what people use. */
export const receiver: Section = async ({ processes, isQuick }) => {
  const receiving = await measureAll(RECEIVING, processes, extentOf({ isQuick }, 3000));
  const storing = await measureAll(STORING, processes, extentOf({ isQuick }, 1000));
  return reportOf(receiving, storing);
};

function extentOf({ isQuick }: Pick<SectionOptions, "isQuick">, deliveries: number): Extent {
  return isQuick ? { rounds: 1, deliveries: 200 } : { rounds: 6, deliveries };
}

function reportOf(receiving: Costs, storing: Costs): SectionReport {
  const added = addedPercent(receiving, "unverified", "bare");
  return {
    tables: [
      tableOf(`Receiving a transaction (${CONNECTIONS} in flight)`, receiving, "bare"),
      tableOf("Verifying, validating and storing it, flushed to the disk", storing, "stored"),
    ],
    targets: [
      atMost("receiver, added to a bare server", LIMIT_PERCENT, added, percentText),
      ...targetsOf("verifying and validating", receiving, "verified", ["octokit", "express"]),
      ...targetsOf("storing", storing, "stored", ["octokitStored", "expressStored"]),
    ],
  };
}

function tableOf(title: string, costs: Costs, baseline: ServerName): Table {
  const columns = ["process time each", "relative", "deliveries per second"];
  const rows = (Object.keys(costs) as ServerName[]).map((name) => {
    const own = costs[name] ?? [];
    const microseconds = median(own.map(({ processMs }) => processMs)) * 1000;
    const rate = 1000 / median(own.map(({ wallMs }) => wallMs));
    const added = percentText(addedPercent(costs, name, baseline));
    return [servers[name].title, `${microseconds.toFixed(0)} µs`, added, rate.toFixed(0)];
  });
  return { title, columns, rows };
}

/** The targets to be faster than each of the others. */
function targetsOf(
  what: string,
  costs: Costs,
  own: ServerName,
  others: readonly ServerName[],
): Target[] {
  return others.map((other) => {
    const ratio = medianRatio(costs, own, other, ({ wallMs }) => wallMs);
    return atMost(`${what}, time relative to ${servers[other].title}`, 1, ratio, ratioText);
  });
}

function addedPercent(costs: Costs, name: ServerName, baseline: ServerName): number {
  return (medianRatio(costs, name, baseline, ({ processMs }) => processMs) - 1) * 100;
}

/** Returns the median of the ratios of two servers in the same rounds. */
function medianRatio(
  costs: Costs,
  name: ServerName,
  baseline: ServerName,
  of: (cost: BlockCost) => number,
): number {
  const baselines = costs[baseline] ?? [];
  return median((costs[name] ?? []).map((cost, round) => of(cost) / of(baselines[round] ?? cost)));
}

function percentText(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(0)} %`;
}
