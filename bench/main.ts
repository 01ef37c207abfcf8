/**
 * `npm run bench`: measures the figures of docs/benchmarks.md. A missed target does not affect the
 * exit status, because a busy machine misses any target.
 */
import { parseArgs } from "node:util";
import { clientImport } from "./client/import.ts";
import { client } from "./client/section.ts";
import { walk } from "./client/walk.ts";
import { coldStart } from "./cold-start.ts";
import { history } from "./history/section.ts";
import { matching } from "./matching.ts";
import { installPackages } from "./packages.ts";
import { receiver } from "./receiver/section.ts";
import { rejecting } from "./rejecting.ts";
import { renderTable, renderTargets, type Target } from "./report.ts";
import { delivery } from "./sandbox/delivery.ts";
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
  history,
  client,
  walk,
  "client-import": clientImport,
  sandbox: requests,
  "sandbox-start": start,
  "sandbox-delivery": delivery,
  "sandbox-reset": reset,
  matching,
};

const NAMES = Object.keys(SECTIONS).join(",");
const USAGE = `npm run bench -- [--only ${NAMES}] [--processes N] [--quick]`;

function readFlags(): { names: string[]; options: SectionOptions } {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: NAMES },
      processes: { type: "string", default: "3" },
      quick: { type: "boolean", default: false },
    },
  });
  const names = values.only.split(",");
  const unknown = names.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined) throw new UsageError(`unknown section "${unknown}"`);
  const processes = Number(values.processes);
  if (!Number.isInteger(processes) || processes < 1) {
    throw new UsageError(`--processes must be an integer >= 1; got ${values.processes}`);
  }
  return { names, options: { processes, isQuick: values.quick } };
}

/** Invalid arguments: exit status 2, without a stack trace. */
class UsageError extends Error {
  readonly code = "ERR_PARSE_ARGS_VALUE";
}

async function main(): Promise<void> {
  const { names, options } = readFlags();
  await installPackages();
  const targets: Target[] = [];
  for (const name of names) {
    const report = await SECTIONS[name]?.(options);
    for (const table of report?.tables ?? []) console.log(renderTable(table));
    targets.push(...(report?.targets ?? []));
  }
  console.log(renderTargets(targets));
}

try {
  await main();
} catch (error) {
  const { code, message, stack } = error as Error & { code?: unknown };
  const isUsage = String(code).startsWith("ERR_PARSE_ARGS");
  console.error(`bench: ${isUsage ? `${message}\n${USAGE}` : stack}`);
  process.exitCode = isUsage ? 2 : 1;
}
