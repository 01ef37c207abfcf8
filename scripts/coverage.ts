/**
 * `npm run check:coverage`: reports each event that no script sends, and each operation that
 * the sandbox does not serve. It runs before the type check, whose errors name tables instead of
 * the missing event or operation.
 */
import { parseArgs } from "node:util";
import { eventNames } from "../generated/events.ts";
import { operations } from "../generated/operations.ts";
import { scenario, scenarioNames } from "../src/fixtures/index.ts";
import { isServed } from "../src/sandbox/http/app.ts";
import { runScript, ScriptError } from "./run-script.ts";

/** The events that no script sends, one line each. */
function eventGaps(): string[] {
  const sent = new Set<string>(
    scenarioNames.flatMap((name) =>
      scenario(name).map(({ headers }) => headers["webhook-event-type"]),
    ),
  );
  const remedy = "add one to src/world/scripts.ts, with its verb";
  const missing = eventNames.filter((name) => !sent.has(name));
  return missing.map((name) => `event ${name}: no script sends it: ${remedy}`);
}

/** The operations that the sandbox does not serve, one line each. */
function operationGaps(): string[] {
  return Object.entries(operations).flatMap(([key, operation]) => {
    const gap = "the sandbox does not serve it: see respondTo in src/sandbox/http/app.ts";
    return isServed(operation) ? [] : [`${key}: ${gap}`];
  });
}

async function main(): Promise<number> {
  parseArgs();
  const gaps = [...eventGaps(), ...operationGaps()];
  if (gaps.length > 0) throw new ScriptError(gaps);
  const count = Object.keys(operations).length;
  console.log(`${eventNames.length} events and ${count} operations: all are known everywhere`);
  return 0;
}

await runScript(
  {
    name: "check:coverage",
    summary: "reports events that no script sends, and operations that are not served",
  },
  main,
);
