import { readFileSync } from "node:fs";
import { type Corpus, readCorpus } from "./record.ts";

/** What the frozen corpus was drawn from. */
export const FROZEN_SEED = 1;

export const FROZEN_FILE = new URL("frozen.ndjson", import.meta.url);

/** The corpus that figures are quoted of. */
export function readFrozen(): Corpus {
  return readCorpus(readFileSync(FROZEN_FILE, "utf8"));
}
