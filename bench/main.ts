/**
 * `npm run bench`: what README's figures come from. The exit status tells only whether the bench
 * itself works: a busy machine misses any target.
 */
import { parseArgs } from "node:util";
import { clientImport } from "./client/import.ts";
import { client } from "./client/section.ts";
import { walk } from "./client/walk.ts";
import { coldStart } from "./cold-start.ts";
import { history } from "./history/section.ts";
import { matching } from "./matching/section.ts";
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

const PARTS = Object.keys(SECTIONS).join(",");
const USAGE = `npm run bench -- [--only ${PARTS}] [--processes N] [--quick]`;

/** What to run: the names of the parts, and how much of each. */
function readFlags(): { names: string[]; effort: SectionOptions } {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: PARTS },
      processes: { type: "string", default: "3" },
      quick: { type: "boolean", default: false },
    },
  });
  const names = values.only.split(",");
  const unknown = names.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined) throw new UsageError(`there is no part "${unknown}"`);
  const processes = Number(values.processes);
  if (!Number.isInteger(processes) || processes < 1) {
    throw new UsageError("--processes takes a whole number from 1 up");
  }
  return { names, effort: { processes, isQuick: values.quick } };
}

/** Words that the bench does not take; they get status 2 and no stack. */
class UsageError extends Error {
  readonly code = "ERR_PARSE_ARGS_VALUE";
}

async function main(): Promise<void> {
  const { names, effort } = readFlags();
  const targets: Target[] = [];
  for (const name of names) {
    const report = await SECTIONS[name]?.(effort);
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
