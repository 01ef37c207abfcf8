import { readFileSync } from "node:fs";
import { type Corpus, readCorpus } from "./record.ts";

/** The frozen corpus's seed and options. */
export const FROZEN_SEED = 1;

export const FROZEN_FILE = new URL("frozen.ndjson", import.meta.url);

/** The corpus for all quoted figures. */
export function readFrozen(): Corpus {
  return readCorpus(readFileSync(FROZEN_FILE, "utf8"));
}
