import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type Command, type CommandCall, EXIT, usageError } from "../../src/cli/command.ts";
import { refuseUnwritable, writeAtomically } from "../../src/cli/file.ts";
import { outputTo } from "../../src/cli/output.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { suggestion } from "../../src/nearest.ts";
import { type Trial, tryDriver } from "../drivers/trial.ts";
import { renderSkeleton } from "./driver-skeleton.ts";
import { renderEnd, renderTried } from "./driver-text.ts";
import { TARGET_FLAGS } from "./flags.ts";
import { endSoon, onInterruption } from "./interruption.ts";
import { targetIn } from "./target.ts";

const DEFAULT_FILE = "conformance-driver.mjs";

/** `txfeed driver`: helps to write a driver for `txfeed conformance`. */
export const driver: Command = {
  name: "driver",
  positionals: ["init|check", "[FILE|BASE_URL]"],
  summary: "writes a driver's skeleton, or tries each verb of a driver",
  notes: [
    `  init [FILE]     write a skeleton (default: ${DEFAULT_FILE})`,
    "  check BASE_URL  call each verb of --driver MODULE, and show its result and its events",
    "",
    "check creates cards, bank links, purchases and bank transactions at the target.",
    "It exits with status 0 if all verbs work, 1 if one fails, 4 if none was called.",
  ],
  flags: {
    force: { type: "boolean", help: "let init overwrite FILE" },
    ...TARGET_FLAGS,
  },
  run: async (call) => {
    const [action, ...positionals] = call.positionals;
    if (action === "init") return init(call, positionals[0]);
    if (action === "check") return check({ ...call, positionals });
    const advice = suggestion(action ?? "", ["init", "check"], "use init or check");
    throw usageError(driver, `there is no action "${action}"; ${advice}`);
  },
};

async function init({ values }: CommandCall, file = DEFAULT_FILE): Promise<number> {
  const other = Object.keys(TARGET_FLAGS).find((flag) => values[flag] !== undefined);
  if (other !== undefined) throw usageError(driver, `init takes no --${other}`);
  if (!/\.m?js$/.test(file)) {
    const why = "the skeleton is JavaScript, which Node.js runs without a build";
    throw usageError(driver, `FILE must end in .mjs or .js, not "${file}": ${why}`);
  }
  if (values["force"] !== true && existsSync(file)) {
    throw usageError(driver, `${file} exists; give --force to overwrite it`);
  }
  await refuseUnwritable(file);
  await writeAtomically(file, renderSkeleton(basename(file)));
  const then = `npx txfeed driver check BASE_URL --driver ${file}`;
  await outputTo(process.stdout).write(`wrote ${file}; implement its verbs, then: ${then}\n`);
  return EXIT.ok;
}

async function check(call: CommandCall): Promise<number> {
  const { values } = call;
  if (values["force"] !== undefined) throw usageError(driver, "check takes no --force");
  if (values["driver"] === undefined) throw usageError(driver, "check requires --driver MODULE");
  if (values["profile"] === "mock") throw usageError(driver, "check excludes --profile mock");
  const target = await targetIn(driver, call);
  const out = outputTo(process.stdout);
  const style = styleFor(process.stdout);
  const interruption = onInterruption(() =>
    console.error("txfeed: stopping. Press Ctrl-C again to exit immediately"),
  );
  try {
    const trial = await tryDriver(target, {
      signal: interruption.signal,
      onTried: (tried) => out.write(`${renderTried(tried, style)}\n`),
    });
    await out.write(`${renderEnd(trial, style)}\n`);
    return interruption.status() ?? statusOf(trial);
  } finally {
    interruption.release();
    endSoon();
  }
}

function statusOf({ tried, brokenOff }: Trial): number {
  if (tried.some(({ problems }) => problems.length > 0)) return EXIT.found;
  const isDecided = tried.some(({ ms }) => ms !== undefined) && brokenOff === undefined;
  return isDecided ? EXIT.ok : EXIT.undecided;
}
