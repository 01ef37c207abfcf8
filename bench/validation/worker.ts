import { runInChild, serveJob } from "../child.ts";
import { createBatches, median, rotate, timeMs } from "../measure.ts";
import { type Kind, payloadTexts } from "../payloads.ts";
import { schemas } from "../schemas.ts";
import { libraries } from "./libraries/index.ts";
import { type Check, MEASURED_EVENTS, type MeasuredEvent } from "./libraries/library.ts";

/** What one process measures. */
export interface Job {
  /** Who runs; those that can't be set up are left out before. */
  readonly names: readonly string[];
  readonly rounds: number;
  /** Which contestant begins. */
  readonly turn: number;
}

/** A contestant's time over that of JSON.parse, on one kind of payload. */
export interface Ratio {
  readonly name: string;
  readonly event: MeasuredEvent;
  readonly kind: Kind;
  readonly ratio: number;
}

/** The contestant that parses too, beside those that check a parsed body. */
export const WITH_PARSE = "txfeed, with parse";

/**
 * About as much text as a batch has: so much that each contestant runs warm for most of it, as the
 * one before it has left the processor's caches full of its own.
 */
const BATCH_CHARACTERS = 256_000;
const BATCHES_OF_TEXTS = 4;
/** Of rounds, how many come first and are not counted. */
const WARM_UP = 1 / 3;
/** Some peers take twenty times as long to tell what is wrong as to parse. */
const ROUNDS_OF_BROKEN = 1 / 3;

interface Lane {
  readonly name: string;
  readonly check: Check;
  readonly parses: boolean;
  readonly ratios: number[];
}

/** Measures a batch, each beside the parsing of the same texts. */
function batchRatio({ check, parses }: Lane, texts: readonly string[], turn: number): number {
  const bodies: unknown[] = new Array(texts.length);
  const parse = () => {
    for (let at = 0; at < texts.length; at += 1) bodies[at] = JSON.parse(texts[at] as string);
    return bodies.length;
  };
  const checkBodies = () => {
    let faults = 0;
    for (const body of bodies) faults += check(body);
    return faults;
  };
  if (!parses) {
    const parseMs = timeMs(parse);
    return timeMs(checkBodies) / parseMs;
  }
  const parseOnly = () => {
    let objects = 0;
    for (const text of texts) objects += typeof JSON.parse(text) === "object" ? 1 : 0;
    return objects;
  };
  const parseAndCheck = () => {
    let faults = 0;
    for (const text of texts) faults += check(JSON.parse(text));
    return faults;
  };
  // Each goes first every other time: the second finds the texts in the caches.
  const isParseFirst = turn % 2 === 0;
  const firstMs = timeMs(isParseFirst ? parseOnly : parseAndCheck);
  const secondMs = timeMs(isParseFirst ? parseAndCheck : parseOnly);
  return isParseFirst ? secondMs / firstMs : firstMs / secondMs;
}

function measureKind(lanes: readonly Lane[], event: MeasuredEvent, kind: Kind, job: Job): Ratio[] {
  const [sample = ""] = payloadTexts(event, kind, 1);
  const size = Math.ceil(BATCH_CHARACTERS / sample.length);
  const next = createBatches(payloadTexts(event, kind, size * BATCHES_OF_TEXTS), size);
  const rounds = Math.ceil(job.rounds * (kind === "broken" ? ROUNDS_OF_BROKEN : 1));
  const warmUp = Math.ceil(rounds * WARM_UP);
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const lane of rotate(lanes, job.turn + round)) {
      const ratio = batchRatio(lane, next(), round);
      if (round >= warmUp) lane.ratios.push(ratio);
    }
  }
  return lanes.map(({ name, ratios }) => ({ name, event, kind, ratio: median(ratios) }));
}

async function measure(job: Job): Promise<Ratio[]> {
  const ready = await Promise.all(
    job.names.map(async (name) => {
      const checks = await (await libraries[name]?.())?.setUp(schemas);
      if (!checks) throw new Error(`there is no contestant ${name}`);
      return { name, checks };
    }),
  );
  const [ours] = ready;
  const all = ours ? [...ready, { ...ours, name: WITH_PARSE }] : ready;
  return MEASURED_EVENTS.flatMap((event) =>
    (["sound", "broken"] as const).flatMap((kind) => {
      const lanes = all.map(({ name, checks }) => {
        return { name, check: checks[event], parses: name === WITH_PARSE, ratios: [] };
      });
      return measureKind(lanes, event, kind, job);
    }),
  );
}

/** Measures in a process of its own. */
export function measureInChild(job: Job): Promise<Ratio[]> {
  return runInChild(new URL(import.meta.url), job);
}

if (import.meta.main) serveJob(measure);
