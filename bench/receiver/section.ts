import { fork } from "node:child_process";
import { ask } from "../child.ts";
import { median, rotate } from "../measure.ts";
import { atMost, type SectionReport } from "../report.ts";
import type { Section } from "../section.ts";
import type { Block } from "./client.ts";
import type { Ports } from "./server.ts";

const LIMIT_PERCENT = 15;
const CONNECTIONS = 16;
const WARM_UP_ROUNDS = 2;

/** The cost of each delivery of a block. */
interface BlockCost {
  /** CPU time of the server, in milliseconds. */
  readonly processMs: number;
  /** Elapsed time, in milliseconds. */
  readonly wallMs: number;
}

/** The costs of a server over all rounds. */
interface Measured {
  readonly way: Way;
  /** The cost of one delivery, round by round. */
  readonly costs: readonly BlockCost[];
  /** The costs of the bare server in the same rounds. */
  readonly bareCosts: readonly BlockCost[];
}

type Way = keyof Ports;

/** Measures the servers in turn, block by block. */
async function measure(rounds: number, deliveries: number): Promise<Measured[]> {
  const server = fork(new URL("server.ts", import.meta.url));
  const client = fork(new URL("client.ts", import.meta.url));
  try {
    const ports = await ask<Ports>(server);
    const ways = (Object.keys(ports) as Way[]).filter((way) => ports[way] !== null);
    const costs: Record<Way, BlockCost[]> = { bare: [], receiver: [], duplicates: [] };
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
      for (const way of rotate(ways, round)) {
        const block = { port: ports[way] as number, deliveries, connections: CONNECTIONS };
        const before = await ask<number>(server, "process time");
        const wallMs = (await ask<number>(client, block satisfies Block)) / deliveries;
        const after = await ask<number>(server, "process time");
        const cost = { processMs: (after - before) / deliveries, wallMs };
        if (round >= WARM_UP_ROUNDS) costs[way].push(cost);
      }
    }
    return ways.map((way) => ({ way, costs: costs[way], bareCosts: costs.bare }));
  } finally {
    server.kill();
    client.kill();
  }
}

const TITLES: Readonly<Record<Way, string>> = {
  bare: "node:http, reads and parses",
  receiver: "receiver",
  duplicates: "receiver with duplicate detection",
};

/** Cost of the receiver relative to a bare server that reads and parses the same body. */
export const receiver: Section = async ({ processes, isQuick }) => {
  const measured: Measured[] = [];
  for (let turn = 0; turn < processes; turn += 1) {
    measured.push(...(await measure(isQuick ? 1 : 6, isQuick ? 200 : 3000)));
  }
  return reportOf(measured);
};

/** Returns the median of `of` over all rounds of all processes. */
function medianOf(
  measured: readonly Measured[],
  way: Way,
  of: (cost: BlockCost, bare: BlockCost) => number,
): number {
  const own = measured.filter((one) => one.way === way);
  return median(
    own.flatMap(({ costs, bareCosts }) =>
      costs.map((cost, round) => of(cost, bareCosts[round] ?? cost)),
    ),
  );
}

function reportOf(measured: readonly Measured[]): SectionReport {
  const title = `Receiving a transaction, relative to a bare server (${CONNECTIONS} in flight)`;
  const columns = ["process time each", "added", "deliveries per second"];
  const rows = [...new Set(measured.map(({ way }) => way))].map((way) => {
    const microseconds = medianOf(measured, way, ({ processMs }) => processMs) * 1000;
    const rate = medianOf(measured, way, ({ wallMs }, bare) => (bare.wallMs / wallMs - 1) * 100);
    const added = percentText(addedPercent(measured, way));
    return [TITLES[way], `${microseconds.toFixed(0)} µs`, added, percentText(rate)];
  });
  const what = "cost of the receiver, added to a bare server";
  if (!measured.some(({ way }) => way === "receiver")) {
    rows.push(["receiver: not in this version"]);
    const target = { what, limit: `≤ ${LIMIT_PERCENT} %`, measured: "-", isMet: null };
    return { tables: [{ title, columns, rows }], targets: [target] };
  }
  const own = addedPercent(measured, "receiver");
  return {
    tables: [{ title, columns, rows }],
    targets: [atMost(what, LIMIT_PERCENT, own, percentText)],
  };
}

function addedPercent(measured: readonly Measured[], way: Way): number {
  return medianOf(measured, way, ({ processMs }, bare) => (processMs / bare.processMs - 1) * 100);
}

function percentText(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(0)} %`;
}
