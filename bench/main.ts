/**
 * `npm run bench`: what README's figures come from. Whether a target is met is no matter of the exit
 * status, as a busy machine misses any; it tells only whether the bench itself works.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { coldStart } from "./cold-start.ts";
import { history } from "./history/section.ts";
import { receiver } from "./receiver/section.ts";
import { rejecting } from "./rejecting.ts";
import { renderTable, renderTargets, type SectionReport, type Target } from "./report.ts";
import type { Section } from "./section.ts";
import { size } from "./size.ts";
import { validation } from "./validation/section.ts";

const SECTIONS: Readonly<Record<string, Section>> = {
  validate: validation,
  cold: coldStart,
  size,
  reject: rejecting,
  receiver,
  history,
};

const USAGE = `npm run bench -- [--only ${Object.keys(SECTIONS).join(",")}] [--processes N]
  [--quick] [--json FILE]`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: Object.keys(SECTIONS).join(",") },
      processes: { type: "string", default: "3" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  const names = values.only.split(",");
  const processes = Number(values.processes);
  const unknown = names.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined || !Number.isInteger(processes) || processes < 1) {
    console.error(
      `bench: ${unknown ? `there is no part "${unknown}"` : "--processes takes 1 or more"}`,
    );
    console.error(USAGE);
    return 2;
  }
  const parts: Record<string, SectionReport> = {};
  const targets: Target[] = [];
  for (const name of names) {
    const report = await SECTIONS[name]?.({ processes, isQuick: values.quick });
    if (!report) continue;
    parts[name] = report;
    targets.push(...report.targets);
    for (const table of report.tables) console.log(renderTable(table));
  }
  console.log(renderTargets(targets));
  if (values.json)
    await writeFile(values.json, `${JSON.stringify({ node: process.version, parts }, null, 2)}\n`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
