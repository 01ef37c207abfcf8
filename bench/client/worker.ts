import { isDeepStrictEqual } from "node:util";
import { runInChild, serveJob } from "../child.ts";
import { rotate } from "../measure.ts";
import { clients, type GetTransaction } from "./clients.ts";
import { transactionTexts } from "./responses.ts";

/** The numbers of concurrent calls. */
export const LOADS = [1, 32] as const;
export type Load = (typeof LOADS)[number];

/** The task of one process. */
export interface Job {
  readonly origin: string;
  readonly rounds: number;
  /** Rotates the order of the clients. */
  readonly turn: number;
}

/** Mean cost of a call in a batch, in milliseconds. */
export interface Cost {
  readonly wallMs: number;
  /** CPU time of the client's process, user and system. */
  readonly processMs: number;
}

/** A client's costs under a load, batch by batch. All clients run the same batches. */
export interface Measured {
  readonly name: string;
  readonly load: Load;
  readonly costs: readonly Cost[];
}

/** The results of one process. */
export interface Outcome {
  readonly measured: readonly Measured[];
  /** Clients that failed to set up, with the reason. */
  readonly refused: Readonly<Record<string, string>>;
}

interface Entry {
  readonly name: string;
  readonly get: GetTransaction;
}

/** Calls per batch: enough that garbage collection runs many times within the batch. */
const CALLS: Readonly<Record<Load, number>> = { 1: 128, 32: 512 };
/** Warm-up calls before each batch, relative to the calls of the batch. */
const LEAD_IN = 1 / 8;
const WARM_UP_ROUNDS = 2;

const ids = [...transactionTexts.keys()];

/** Makes `calls` calls, `load` of them concurrently. */
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
  // Collect the garbage of the previous batch before measuring this one.
  globalThis.gc?.();
  await callAll(get, calls * LEAD_IN, load);
  const before = process.cpuUsage();
  const start = performance.now();
  await callAll(get, calls, load);
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { wallMs: wallMs / calls, processMs: (user + system) / 1000 / calls };
}

/** Rejects if a client does not return the body that the service sent. */
async function verify(get: GetTransaction): Promise<void> {
  for (const [id, text] of transactionTexts) {
    if (!isDeepStrictEqual(await get(id), JSON.parse(text)))
      throw new Error("returned another body");
  }
}

async function measure({ origin, rounds, turn }: Job): Promise<Outcome> {
  const entries: Entry[] = [];
  const refused: Record<string, string> = {};
  for (const [name, open] of Object.entries(clients)) {
    try {
      const get = await open(origin);
      await verify(get);
      entries.push({ name, get });
    } catch (error) {
      // A client that cannot be set up becomes a row of the report; the benchmark continues.
      refused[name] = error instanceof Error ? error.message : String(error);
    }
  }
  const measured: Measured[] = [];
  for (const load of LOADS) measured.push(...(await measureLoad(entries, load, rounds, turn)));
  return { measured, refused };
}

async function measureLoad(entries: readonly Entry[], load: Load, rounds: number, turn: number) {
  const costs = entries.map(({ name }) => ({ name, load, costs: [] as Cost[] }));
  const pairs = entries.map((entry, at) => ({ ...entry, costs: costs[at]?.costs ?? [] }));
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    // Alternate the direction, so that no client always follows the same one.
    const order = round % 2 === 0 ? pairs : pairs.toReversed();
    for (const entry of rotate(order, turn + round)) {
      const cost = await batchCost(entry.get, load);
      if (round >= WARM_UP_ROUNDS) entry.costs.push(cost);
    }
  }
  return costs;
}

/** Measures in a separate process. */
export function measureInChild(job: Job): Promise<Outcome> {
  return runInChild(new URL(import.meta.url), job, ["--expose-gc"]);
}

if (import.meta.main) serveJob(measure);
