/**
 * `npm run check:agreement`: compares the verdicts of `generated/validators.js` with those of plain
 * AJV 2020-12 on the generated document, over mutations of its examples. The exit status is 1 if
 * they disagree on any.
 */
import { parseArgs } from "node:util";
import { compare } from "../test/generate/agreement.ts";
import { runScript, ScriptError } from "./run-script.ts";

const USAGE = "npm run check:agreement -- [--mutations N] [--seed N]";
const MOST_SHOWN = 5;

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number > 0) return number;
  throw new ScriptError([
    `check:agreement: --${name} must be an integer >= 1; got "${text}"`,
    `usage: ${USAGE}`,
  ]);
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      mutations: { type: "string", default: "150000" },
      seed: { type: "string", default: "1" },
    },
  });
  const mutations = readNumber("mutations", values.mutations);
  const seed = readNumber("seed", values.seed);
  const { valid, invalid, disagreements } = compare(mutations, seed);
  for (const one of disagreements.slice(0, MOST_SHOWN)) console.log(JSON.stringify(one));
  console.log(
    `${disagreements.length} disagreements with AJV 2020-12 over ${mutations} mutations ` +
      `(${valid} valid, ${invalid} invalid; seed ${seed})`,
  );
  return disagreements.length > 0 ? 1 : 0;
}

await runScript("check:agreement", main);
