/**
 * `node test/model/matching/corpus/write.ts`: regenerates the frozen corpus. Run it only to fix a
 * wrong mix: figures before and after are not comparable.
 */
import { writeFileSync } from "node:fs";
import { FROZEN_FILE, FROZEN_SEED } from "./frozen.ts";
import { generateCorpus } from "./generate.ts";
import { writeCorpus } from "./record.ts";

writeFileSync(FROZEN_FILE, writeCorpus(generateCorpus(FROZEN_SEED)));
