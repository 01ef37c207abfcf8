import { isDeepStrictEqual } from "node:util";
import { runInChild, serveJob } from "../child.ts";
import { rotate } from "../measure.ts";
import { clients, type GetTransaction } from "./clients.ts";
import { transactionTexts } from "./responses.ts";

/** How many calls are under way at once. */
export const LOADS = [1, 32] as const;
export type Load = (typeof LOADS)[number];

/** What one process measures. */
export interface Job {
  readonly origin: string;
  readonly rounds: number;
  /** Which contestant begins. */
  readonly turn: number;
}

/** What one call cost in a batch of them; in milliseconds. */
export interface Cost {
  readonly wallMs: number;
  /** Of the client's process: user and system. */
  readonly processMs: number;
}

/** A contestant's costs under a load, batch by batch; the same batches as everybody's. */
export interface Measured {
  readonly name: string;
  readonly load: Load;
  readonly costs: readonly Cost[];
}

/** What came of one process. */
export interface Outcome {
  readonly measured: readonly Measured[];
  /** Who could not be made ready, and why. */
  readonly refused: Readonly<Record<string, string>>;
}

interface Lane {
  readonly name: string;
  readonly get: GetTransaction;
}

/** So many that each batch collects its own garbage, many times over. */
const CALLS: Readonly<Record<Load, number>> = { 1: 128, 32: 512 };
/** Of a batch, how much goes before it uncounted: it runs in the traces of another contestant. */
const LEAD_IN = 1 / 8;
const WARM_UP_ROUNDS = 2;

const ids = [...transactionTexts.keys()];

/** Makes so many calls, with so many under way at once, and no more than that waiting. */
async function callAll(get: GetTransaction, calls: number, load: Load): Promise<void> {
  let left = calls;
  const drain = async () => {
    while (left > 0) {
      left -= 1;
      await get(ids[left % ids.length] as string);
    }
  };
  await Promise.all(Array.from({ length: load }, drain));
}

async function batchCost(get: GetTransaction, load: Load): Promise<Cost> {
  const calls = CALLS[load];
  // What the one before has left would else be collected in the time of this one.
  globalThis.gc?.();
  await callAll(get, calls * LEAD_IN, load);
  const before = process.cpuUsage();
  const start = performance.now();
  await callAll(get, calls, load);
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { wallMs: wallMs / calls, processMs: (user + system) / 1000 / calls };
}

/** Rejects where a contestant gives another body than the service sent. */
async function prove(get: GetTransaction): Promise<void> {
  for (const [id, text] of transactionTexts) {
    if (!isDeepStrictEqual(await get(id), JSON.parse(text))) throw new Error("gave another body");
  }
}

async function measure({ origin, rounds, turn }: Job): Promise<Outcome> {
  const lanes: Lane[] = [];
  const refused: Record<string, string> = {};
  for (const [name, open] of Object.entries(clients)) {
    try {
      const get = await open(origin);
      await prove(get);
      lanes.push({ name, get });
    } catch (error) {
      // A client that can't be set up is a row of the report, not the end of the bench.
      refused[name] = error instanceof Error ? error.message : String(error);
    }
  }
  const measured: Measured[] = [];
  for (const load of LOADS) measured.push(...(await measureLoad(lanes, load, rounds, turn)));
  return { measured, refused };
}

async function measureLoad(lanes: readonly Lane[], load: Load, rounds: number, turn: number) {
  const costs = lanes.map(({ name }) => ({ name, load, costs: [] as Cost[] }));
  const pairs = lanes.map((lane, at) => ({ ...lane, costs: costs[at]?.costs ?? [] }));
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    // There and back, so that nobody always runs behind the same.
    const order = round % 2 === 0 ? pairs : pairs.toReversed();
    for (const lane of rotate(order, turn + round)) {
      const cost = await batchCost(lane.get, load);
      if (round >= WARM_UP_ROUNDS) lane.costs.push(cost);
    }
  }
  return costs;
}

/** Measures in a process of its own. */
export function measureInChild(job: Job): Promise<Outcome> {
  return runInChild(new URL(import.meta.url), job, ["--expose-gc"]);
}

if (import.meta.main) serveJob(measure);
