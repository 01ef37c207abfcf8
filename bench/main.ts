/**
 * `npm run bench`: measures the figures of docs/benchmarks.md. A missed target does not affect the
 * exit status, because a busy machine misses any target.
 */
import { parseArgs } from "node:util";
import { readPositiveInteger, runScript } from "../scripts/run-script.ts";
import { UsageError } from "../src/errors.ts";
import { clientImport } from "./client/import.ts";
import { client } from "./client/section.ts";
import { walk } from "./client/walk.ts";
import { coldStart } from "./cold-start.ts";
import { fleet } from "./fleet/section.ts";
import { growth } from "./growth/section.ts";
import { history } from "./history/section.ts";
import { matching } from "./matching.ts";
import { setup as installPackages } from "./packages.ts";
import { receiver } from "./receiver/section.ts";
import { rejecting } from "./rejecting.ts";
import { renderTable, renderTargets, type Target } from "./report.ts";
import { delivery } from "./sandbox/delivery.ts";
import { sandboxGrowth } from "./sandbox/growth.ts";
import { requests } from "./sandbox/requests.ts";
import { reset } from "./sandbox/reset.ts";
import { start } from "./sandbox/start.ts";
import type { Section, SectionOptions } from "./section.ts";
import { size } from "./size.ts";
import { validation } from "./validation/section.ts";

const SECTIONS: Readonly<Record<string, Section>> = {
  validate: validation,
  cold: coldStart,
  size,
  reject: rejecting,
  receiver,
  // Imports a package that may have to be installed first.
  queues: async (options) => (await import("./queues/section.ts")).queues(options),
  fleet,
  growth,
  history,
  client,
  walk,
  "client-import": clientImport,
  sandbox: requests,
  "sandbox-start": start,
  "sandbox-delivery": delivery,
  "sandbox-reset": reset,
  "sandbox-growth": sandboxGrowth,
  matching,
};

const NAMES = Object.keys(SECTIONS);

const FLAGS = {
  only: {
    type: "string",
    value: "NAME,...",
    help: `measure only these sections: ${NAMES.join(", ")}`,
  },
  processes: {
    type: "string",
    value: "N",
    help: "repeat each measurement in N processes (default: 3)",
  },
  quick: { type: "boolean", help: "measure only enough to show that the benchmark works" },
} as const;

function readFlags(): { names: string[]; options: SectionOptions } {
  const { values } = parseArgs({ options: FLAGS });
  const names = values.only?.split(",") ?? NAMES;
  const unknown = names.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined) throw new UsageError(`unknown section "${unknown}"`);
  const processes = readPositiveInteger("--processes", values.processes ?? "3");
  return { names, options: { processes, isQuick: values.quick ?? false } };
}

async function main(): Promise<number> {
  const { names, options } = readFlags();
  await installPackages();
  const targets: Target[] = [];
  for (const name of names) {
    const report = await SECTIONS[name]?.(options);
    for (const table of report?.tables ?? []) console.log(renderTable(table));
    targets.push(...(report?.targets ?? []));
  }
  console.log(renderTargets(targets));
  return 0;
}

const summary = "measures the figures of docs/benchmarks.md";
await runScript({ name: "bench", summary, flags: FLAGS }, main);
