/**
 * `node test/model/matching/corpus/write.ts`: draws the frozen corpus anew. Only where its mix was
 * wrong: figures before and after cannot be compared.
 */
import { writeFileSync } from "node:fs";
import { FROZEN_FILE, FROZEN_SEED } from "./frozen.ts";
import { generateCorpus } from "./generate.ts";
import { writeCorpus } from "./record.ts";

writeFileSync(FROZEN_FILE, writeCorpus(generateCorpus(FROZEN_SEED)));
