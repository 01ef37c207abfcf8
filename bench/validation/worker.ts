import { runInChild, serveJob } from "../child.ts";
import { createBatches, median, rotate, timeMs } from "../measure.ts";
import { type Kind, payloadTexts } from "../payloads.ts";
import { schemas } from "../schemas.ts";
import { libraries } from "./libraries/index.ts";
import { type Check, MEASURED_EVENTS, type MeasuredEvent } from "./libraries/library.ts";

/** The measurements of one process. */
export interface Job {
  /** The libraries to measure. */
  readonly names: readonly string[];
  readonly rounds: number;
  /** Rotates the order of the libraries. */
  readonly turn: number;
}

/** A library's time relative to JSON.parse, for one kind of payload. */
export interface Ratio {
  readonly name: string;
  readonly event: MeasuredEvent;
  readonly kind: Kind;
  readonly ratio: number;
}

/** The row that includes parsing; the other rows validate a parsed body. */
export const WITH_PARSE = "txfeed, with parse";

/**
 * Approximate text size of a batch. It is large enough that the caches, which the previous library
 * filled with its own data, are warm for most of the batch.
 */
const BATCH_CHARACTERS = 256_000;
const BATCHES_OF_TEXTS = 4;
/** Share of additional rounds that warm up and are not counted. */
const WARM_UP = 1 / 3;
/** Share of rounds for invalid payloads: some libraries take 20 times as long as parsing. */
const ROUNDS_OF_INVALID = 1 / 3;

interface Entry {
  readonly name: string;
  readonly check: Check;
  readonly parses: boolean;
  readonly ratios: number[];
}

/** Measures a batch relative to parsing the same texts. */
function batchRatio({ check, parses }: Entry, texts: readonly string[], turn: number): number {
  const bodies: unknown[] = new Array(texts.length);
  const parse = () => {
    for (let i = 0; i < texts.length; i += 1) bodies[i] = JSON.parse(texts[i] as string);
    return bodies.length;
  };
  const checkBodies = () => {
    let errors = 0;
    for (const body of bodies) errors += check(body);
    return errors;
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
    let errors = 0;
    for (const text of texts) errors += check(JSON.parse(text));
    return errors;
  };
  // Alternate the order, because the second run finds the texts in the caches.
  const isParseFirst = turn % 2 === 0;
  const firstMs = timeMs(isParseFirst ? parseOnly : parseAndCheck);
  const secondMs = timeMs(isParseFirst ? parseAndCheck : parseOnly);
  return isParseFirst ? secondMs / firstMs : firstMs / secondMs;
}

function measureKind(
  entries: readonly Entry[],
  event: MeasuredEvent,
  kind: Kind,
  job: Job,
): Ratio[] {
  const [sample = ""] = payloadTexts(event, kind, 1);
  const size = Math.ceil(BATCH_CHARACTERS / sample.length);
  const next = createBatches(payloadTexts(event, kind, size * BATCHES_OF_TEXTS), size);
  const rounds = Math.ceil(job.rounds * (kind === "invalid" ? ROUNDS_OF_INVALID : 1));
  const warmUp = Math.ceil(rounds * WARM_UP);
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const entry of rotate(entries, job.turn + round)) {
      const ratio = batchRatio(entry, next(), round);
      if (round >= warmUp) entry.ratios.push(ratio);
    }
  }
  return entries.map(({ name, ratios }) => ({ name, event, kind, ratio: median(ratios) }));
}

async function measure(job: Job): Promise<Ratio[]> {
  const ready = await Promise.all(
    job.names.map(async (name) => {
      const checks = await (await libraries[name]?.())?.setUp(schemas);
      if (!checks) throw new Error(`unknown library: ${name}`);
      return { name, checks };
    }),
  );
  const [own] = ready;
  const all = own ? [...ready, { ...own, name: WITH_PARSE }] : ready;
  return MEASURED_EVENTS.flatMap((event) =>
    (["valid", "invalid"] as const).flatMap((kind) => {
      const entries = all.map(({ name, checks }) => {
        return { name, check: checks[event], parses: name === WITH_PARSE, ratios: [] };
      });
      return measureKind(entries, event, kind, job);
    }),
  );
}

/** Measures in a separate process. */
export function measureInChild(job: Job): Promise<Ratio[]> {
  return runInChild(new URL(import.meta.url), job);
}

if (import.meta.main) serveJob(measure);
