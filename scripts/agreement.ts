/**
 * `npm run check:agreement`: compares the verdicts of `generated/validators.js` with those of plain
 * AJV 2020-12 on the generated document, over mutations of its examples. The exit status is 1 if
 * they disagree on any.
 */
import { parseArgs } from "node:util";
import { UsageError } from "../src/errors.ts";
import { compare } from "../test/generate/agreement.ts";
import { runScript } from "./run-script.ts";

const FLAGS = {
  mutations: {
    type: "string",
    value: "N",
    help: "number of mutations (default: 150000)",
    default: "150000",
  },
  seed: { type: "string", value: "N", help: "seed of the mutations (default: 1)", default: "1" },
} as const;
const MAX_SHOWN = 5;

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number > 0) return number;
  throw new UsageError(`--${name} takes a whole number above 0, not "${text}"`);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  const mutations = readNumber("mutations", values.mutations);
  const seed = readNumber("seed", values.seed);
  const { valid, invalid, disagreements } = compare(mutations, seed);
  for (const one of disagreements.slice(0, MAX_SHOWN)) console.log(JSON.stringify(one));
  console.log(
    `${disagreements.length} disagreements with AJV 2020-12 over ${mutations} mutations ` +
      `(${valid} valid, ${invalid} invalid; seed ${seed})`,
  );
  return disagreements.length > 0 ? 1 : 0;
}

const summary = "compares the verdicts of generated/validators.js with those of plain AJV";
await runScript({ name: "check:agreement", summary, flags: FLAGS }, main);
