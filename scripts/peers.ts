/**
 * `npm run peers`: holds the faults of `npm run mutation` against other tools that test a server by
 * its OpenAPI document, each set up as its users would, and tells what share they catch. Those that
 * npm has are installed into a temporary folder.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { Mutation } from "../mutation/mutation.ts";
import { mutations } from "../mutation/mutations/index.ts";
import { writeWhole } from "../src/cli/file.ts";
import { dredd } from "./peers/dredd.ts";
import { lookOurselves } from "./peers/ours.ts";
import { portman } from "./peers/portman.ts";
import { prism } from "./peers/prism.ts";
import { specmatic } from "./peers/specmatic.ts";
import { withSubject } from "./peers/subject.ts";
import { type Caught, renderTable } from "./peers/table.ts";
import type { Tool } from "./peers/tool.ts";
import { runScript, ScriptError } from "./program.ts";

const TOOLS: readonly Tool[] = [prism, portman, specmatic, dredd];

const USAGE = "npm run peers -- [--tools NAME,...] [--every N] [--json FILE]";

function readFlags() {
  const { values } = parseArgs({
    options: {
      tools: { type: "string" },
      every: { type: "string", default: "1" },
      json: { type: "string" },
    },
  });
  const every = Number(values.every);
  const wanted = values.tools?.toLowerCase().split(",");
  const tools = TOOLS.filter(({ name }) => {
    return wanted?.some((word) => name.toLowerCase().startsWith(word)) ?? true;
  });
  if (
    !Number.isInteger(every) ||
    every < 1 ||
    (tools.length === 0 && !wanted?.includes("txfeed"))
  ) {
    throw new ScriptError([`usage: ${USAGE}`]);
  }
  return { tools, every, json: values.json, isOurs: wanted?.includes("txfeed") ?? true };
}

/** Faults that no answer shows: only who receives deliveries can see them. */
const isOnlyDelivered = ({ http, inside, deliveries }: Mutation) =>
  deliveries !== undefined && http === undefined && inside === undefined;

/** Where a tool's programs are; throws where npm does not give them. */
async function install({ packages }: Tool, folder: string): Promise<string> {
  const words = ["install", "--no-audit", "--no-fund", "--prefix", folder, ...packages];
  if (packages.length > 0) await promisify(execFile)("npm", words);
  return join(folder, "node_modules", ".bin");
}

/** Has a tool look at the faultless sandbox first, and then at each fault. */
async function judgeBy(
  chosen: readonly Mutation[],
  look: (fault: Mutation | undefined) => Promise<string[]>,
  sees: (fault: Mutation) => boolean,
): Promise<Omit<Caught, "name" | "setUp">> {
  const start = performance.now();
  const alarms = await look(undefined);
  const seconds = (performance.now() - start) / 1_000;
  const caught: string[] = [];
  const failed: string[] = [];
  let taken = 0;
  let looked = 0;
  for (const fault of chosen.filter(sees)) {
    const began = performance.now();
    try {
      const found = await look(fault);
      if (found.some((line) => !alarms.includes(line))) caught.push(fault.id);
    } catch (error) {
      failed.push(`${fault.id}: ${error instanceof Error ? error.message : error}`);
    }
    taken += performance.now() - began;
    looked += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${looked} of ${chosen.length}`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  const mean = looked === 0 ? seconds : taken / looked / 1_000;
  return { of: chosen.length, alarms, caught, failed, seconds: mean };
}

async function main(): Promise<number> {
  const { tools, every, json, isOurs } = readFlags();
  const chosen = mutations.filter((_, at) => at % every === 0);
  const results: Caught[] = [];
  const absent: string[] = [];
  for (const tool of tools) {
    const { name, setUp } = tool;
    const folder = await mkdtemp(join(tmpdir(), "txfeed-peers-"));
    try {
      process.stderr.write(`${name}\n`);
      const bin = await install(tool, folder);
      const look = (fault: Mutation | undefined) =>
        withSubject(fault, async (subject) => {
          const own = await mkdtemp(join(folder, "run-"));
          return tool.look(subject, own, bin);
        });
      const judged = await judgeBy(chosen, look, (fault) => !isOnlyDelivered(fault));
      results.push({ name, setUp, ...judged });
    } catch (error) {
      const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
      absent.push(`${name} could not be had: ${reason}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  if (isOurs) {
    process.stderr.write("txfeed conformance\n");
    const judged = await judgeBy(chosen, lookOurselves, () => true);
    results.push({ name: "txfeed conformance", setUp: "everything it can be given", ...judged });
  }
  console.log([...renderTable(results, chosen), ...absent].join("\n"));
  if (json !== undefined)
    await writeWhole(json, `${JSON.stringify({ results, absent }, null, 2)}\n`);
  return 0;
}

await runScript("peers", main);
