/**
 * `npm run check:coverage`: reports each event and operation of the contract that the fixtures or
 * the sandbox lack. It runs before the type check, whose errors name tables instead of the missing
 * event or operation.
 */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { eventNames } from "../generated/events.ts";
import { operations } from "../generated/operations.ts";
import { variants } from "../src/fixtures/index.ts";
import { isServed } from "../src/sandbox/http/app.ts";
import { runScript, ScriptError } from "./run-script.ts";

/** The verbs, and the model with its transition tables. */
const SENDERS = ["world", "model"].map((name) =>
  fileURLToPath(new URL(`../src/${name}/`, import.meta.url)),
);

/** The events that nothing builds or sends, one line each. */
async function eventGaps(): Promise<string[]> {
  const senders = (await Promise.all(SENDERS.map(sourceOf))).join("\n");
  return eventNames.flatMap((name) => [
    ...(Object.hasOwn(variants, name)
      ? []
      : [`event ${name}: no fixture builds it: add a variant to src/fixtures/variants.ts`]),
    ...(senders.includes(`"${name}"`)
      ? []
      : [`event ${name}: the sandbox never sends it: add a transition or a verb to src/world/`]),
  ]);
}

/** The operations that the sandbox does not serve, one line each. */
function operationGaps(): string[] {
  return Object.entries(operations).flatMap(([key, operation]) => {
    const gap = "the sandbox does not serve it: see respondTo in src/sandbox/http/app.ts";
    return isServed(operation) ? [] : [`${key}: ${gap}`];
  });
}

/** All TypeScript of a folder, in one text. */
async function sourceOf(dir: string): Promise<string> {
  const names = await readdir(dir, { recursive: true });
  // Scripts name events that the verbs send.
  const isScript = (name: string) => name === "scripts.ts" || name === "small-seed.ts";
  const sources = names.filter((name) => name.endsWith(".ts") && !isScript(name));
  const texts = await Promise.all(sources.map((name) => readFile(`${dir}${name}`, "utf8")));
  return texts.join("\n");
}

async function main(): Promise<number> {
  parseArgs();
  const gaps = [...(await eventGaps()), ...operationGaps()];
  if (gaps.length > 0) throw new ScriptError(gaps);
  const count = Object.keys(operations).length;
  console.log(`${eventNames.length} events and ${count} operations: all are known everywhere`);
  return 0;
}

await runScript(
  {
    name: "check:coverage",
    summary: "reports events and operations without fixtures or sandbox support",
  },
  main,
);
