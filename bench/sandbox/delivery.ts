import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, runInChild } from "../child.ts";
import { median, rotate } from "../measure.ts";
import { atMost, type SectionReport } from "../report.ts";
import type { Section } from "../section.ts";
import type { Arrival } from "./delivery-receiver.ts";
import type { SenderJob, Sent } from "./delivery-sender.ts";

const LIMIT_MS = 20;
const EVENTS_A_SECOND = 200;

/** Events that open connections and warm up code; they are not counted. */
const WARM_UP_EVENTS = 100;

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly burstASecond: number;
}

type Way = SenderJob["way"];

const TITLES: Readonly<Record<Way, string>> = {
  bare: "node:http only, without state",
  memory: "sandbox, state in memory",
  file: "sandbox, state in a file",
};

const ways = Object.keys(TITLES) as Way[];

/** Latency from the start of a change to its event at the receiver. */
export const delivery: Section = async ({ processes, isQuick }) => {
  const measured: Record<Way, Measured[]> = { bare: [], memory: [], file: [] };
  for (let turn = 0; turn < processes; turn += 1) {
    for (const way of rotate(ways, turn)) measured[way].push(await measure(way, isQuick));
  }
  return reportOf(measured);
};

async function measure(way: Way, isQuick: boolean): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), "txfeed-bench-"));
  const receiver = fork(new URL("delivery-receiver.ts", import.meta.url));
  try {
    const job: SenderJob = {
      url: `http://127.0.0.1:${await ask<number>(receiver)}/`,
      way,
      file: join(directory, "sandbox.db"),
      events: WARM_UP_EVENTS + (isQuick ? 200 : 2000),
      eventsASecond: EVENTS_A_SECOND,
      burst: isQuick ? 500 : 5000,
    };
    const sender = new URL("delivery-sender.ts", import.meta.url);
    const { begunMs, burstMs } = await runInChild<Sent>(sender, job);
    const arrivals = new Map(await ask<Arrival[]>(receiver, "arrivals"));
    const latencies = [...begunMs]
      .slice(WARM_UP_EVENTS)
      .map(([id, ms]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - ms)
      .toSorted((a, b) => a - b);
    const percentile = (share: number) =>
      latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
    const burstASecond = (job.burst / burstMs) * 1000;
    return { p50: percentile(0.5), p99: percentile(0.99), worst: percentile(1), burstASecond };
  } finally {
    receiver.kill();
    rmSync(directory, { recursive: true });
  }
}

function reportOf(measured: Readonly<Record<Way, readonly Measured[]>>): SectionReport {
  const middle = (way: Way, of: (one: Measured) => number) => median(measured[way].map(of));
  const rows = ways.map((way) => [
    TITLES[way],
    msText(middle(way, ({ p50 }) => p50)),
    msText(middle(way, ({ p99 }) => p99)),
    msText(Math.max(...measured[way].map(({ worst }) => worst))),
    middle(way, ({ burstASecond }) => burstASecond).toFixed(0),
  ]);
  const p99 = Math.max(...(["memory", "file"] as const).map((way) => middle(way, (of) => of.p99)));
  const what = `event to POST at ${EVENTS_A_SECOND} events per second, p99`;
  const title = `From an event to its POST, at ${EVENTS_A_SECOND} events per second`;
  const columns = ["median", "p99", "worst", "per second, in a burst"];
  const notes = [
    "The node:http row is the latency of the machine itself, which other processes increase.",
  ];
  return {
    tables: [{ title, columns, rows, notes }],
    targets: [atMost(what, LIMIT_MS, p99, msText)],
  };
}

function msText(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
