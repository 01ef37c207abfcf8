import { fork } from "node:child_process";
import { ask } from "../child.ts";
import { median } from "../measure.ts";
import { atMost, ratioText, type SectionReport, type Table, type Target } from "../report.ts";
import type { Section } from "../section.ts";
import { BASELINES, clients, TXFEED } from "./clients.ts";
import { type Cost, LOADS, type Load, measureInChild, type Outcome } from "./worker.ts";

const LIMIT_RATIO = 1.1;
const LIMIT_RATIO_BY_PATH = 1.15;
const LIMIT_RATIO_ON_UNDICI = 1.25;
const CONCURRENT: Load = 32;

const TITLES: Readonly<Record<Load, string>> = {
  1: "Getting a transaction, one call at a time",
  32: "Getting a transaction, 32 calls at once",
};

/** Starts the service in a separate process, runs `run` and stops the service. */
export async function withService<Result>(run: (origin: string) => Promise<Result>) {
  const service = fork(new URL("service.ts", import.meta.url));
  try {
    return await run(`http://127.0.0.1:${await ask<number>(service)}`);
  } finally {
    service.kill();
  }
}

/** The txfeed client, other clients, and the senders that they are built on. */
export const client: Section = async ({ processes, isQuick }) => {
  const outcomes = await withService(async (origin) => {
    const all: Outcome[] = [];
    for (let turn = 0; turn < processes; turn += 1) {
      all.push(await measureInChild({ origin, rounds: isQuick ? 1 : 20, turn }));
    }
    return all;
  });
  const refusal = outcomes.find(({ refused }) => refused[TXFEED.fetch])?.refused[TXFEED.fetch];
  if (refusal !== undefined) throw new Error(`${TXFEED.fetch}: ${refusal}`);
  return reportOf(outcomes);
};

/** Returns a client's costs under a load, of all batches of all processes. */
function costsOf(outcomes: readonly Outcome[], name: string, load: Load): Cost[] {
  return outcomes.flatMap(({ measured }) =>
    measured.filter((one) => one.name === name && one.load === load).flatMap(({ costs }) => costs),
  );
}

/** Returns the median of a client's time relative to another's in the same rounds, or null. */
function ratioOf(outcomes: readonly Outcome[], name: string, by: string, load: Load) {
  const bare = costsOf(outcomes, by, load);
  const own = costsOf(outcomes, name, load);
  if (bare.length === 0 || bare.length !== own.length) return null;
  return median(own.map(({ wallMs }, at) => wallMs / (bare[at]?.wallMs ?? Number.NaN)));
}

function reportOf(outcomes: readonly Outcome[]): SectionReport {
  const limit = (load: Load) =>
    targetOf(outcomes, TXFEED.fetch, { by: BASELINES.fetch, load, limit: LIMIT_RATIO });
  const byPath = (load: Load) =>
    targetOf(outcomes, TXFEED.byPath, { by: BASELINES.fetch, load, limit: LIMIT_RATIO_BY_PATH });
  const onUndici = { by: BASELINES.undici, load: CONCURRENT, limit: LIMIT_RATIO_ON_UNDICI };
  return {
    tables: LOADS.map((load) => tableOf(outcomes, load)),
    targets: [
      ...LOADS.map(limit),
      ...LOADS.map(byPath),
      targetOf(outcomes, TXFEED.undici, onUndici),
      aheadTarget(outcomes, TXFEED.undici, CONCURRENT),
    ],
  };
}

function tableOf(outcomes: readonly Outcome[], load: Load): Table {
  const rows = Object.keys(clients).map((name) => {
    const costs = costsOf(outcomes, name, load);
    const reason = outcomes.flatMap(({ refused }) => refused[name] ?? [])[0];
    if (costs.length === 0) return [`${name}: ${reason}`];
    const ratios = [BASELINES.fetch, BASELINES.undici].map((by) =>
      ratioOf(outcomes, name, by, load),
    );
    return [
      name,
      microsecondsText(median(costs.map(({ wallMs }) => wallMs))),
      microsecondsText(median(costs.map(({ processMs }) => processMs))),
      ...ratios.map((ratio) => (ratio === null ? "-" : ratioText(ratio))),
    ];
  });
  const columns = ["each", "process time", `over ${BASELINES.fetch}`, `over ${BASELINES.undici}`];
  const notes = ["Each client first returned all 256 transactions correctly."];
  return { title: TITLES[load], columns, rows, notes };
}

interface Limit {
  readonly by: string;
  readonly load: Load;
  readonly limit: number;
}

function targetOf(outcomes: readonly Outcome[], name: string, { by, load, limit }: Limit): Target {
  const text = (ratio: number) => `${ratioText(ratio)} x ${by}`;
  const what = `${name}, ${load === 1 ? "one call at a time" : `${load} calls at once`}`;
  const ratio = ratioOf(outcomes, name, by, load);
  if (ratio === null) return { what, limit: `≤ ${text(limit)}`, measured: "-", isMet: null };
  return atMost(what, limit, ratio, text);
}

/** Compares a client with the fastest other client that is not a bare sender. */
function aheadTarget(outcomes: readonly Outcome[], name: string, load: Load): Target {
  const medianMs = (costs: readonly Cost[]) => median(costs.map(({ wallMs }) => wallMs));
  const [first] = Object.keys(clients)
    .filter((peer) => peer !== BASELINES.undici && !peer.startsWith("txfeed"))
    .map((peer) => ({ peer, costs: costsOf(outcomes, peer, load) }))
    .filter(({ costs }) => costs.length > 0)
    .map(({ peer, costs }) => ({ peer, wallMs: medianMs(costs) }))
    .toSorted((a, b) => a.wallMs - b.wallMs);
  const own = costsOf(outcomes, name, load);
  return {
    what: `${name}, ahead of every client, ${load} calls at once`,
    limit: first ? `< ${microsecondsText(first.wallMs)} (${first.peer})` : "no other client",
    measured: own.length > 0 ? microsecondsText(medianMs(own)) : "-",
    isMet: first && own.length > 0 ? medianMs(own) < first.wallMs : null,
  };
}

function microsecondsText(ms: number): string {
  return `${(ms * 1000).toFixed(0)} µs`;
}
