import { type CommandCall, EXIT, usageError } from "../../src/cli/command.ts";
import { refuseUnwritable, writeAtomically } from "../../src/cli/file.ts";
import { outputTo } from "../../src/cli/output.ts";
import { progressOn } from "../../src/cli/progress.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { MAX_TIMER_MS } from "../../src/options.ts";
import { explore } from "../explore/explore.ts";
import { type ExploreReport, isUndecided, renderExploration } from "../explore/report.ts";
import { EXPLORE_FLAGS, type Named, numberIn, targetIn, textIn, type Values } from "./flags.ts";
import { explorationText, runInterruptibly } from "./progress.ts";

const MAX_SEED = 2_147_483_647;
const MAX_SCRIPTS = 1_000_000;
const MAX_DEPTH = 6;

/** Flags of the checks that an exploration has no use for. */
const OTHERS = [
  ...["only", "baseline", "list", "evidence", "junit", "html", "markdown", "collect"],
  ...["sdk-client-id", "sdk-client-secret", "second-account", "writes", "bank-link"],
];

/**
 * Whether a call explores.
 *
 * @throws {TxfeedError} `usage` if flags exclude each other
 */
export function isExploring(command: Named, values: Values): boolean {
  if (values.explore === true) return true;
  const own = Object.keys(EXPLORE_FLAGS).find((flag) => values[flag] !== undefined);
  if (own !== undefined) throw usageError(command, `--${own} requires --explore`);
  return false;
}

/** Explores a target. Resolves to the exit status. */
export async function exploreCall(command: Named, call: CommandCall): Promise<number> {
  const { values } = call;
  const other = OTHERS.find((flag) => values[flag] !== undefined);
  if (other !== undefined) throw usageError(command, `--explore excludes --${other}`);
  if (values.profile === "mock") throw usageError(command, "--explore excludes --profile mock");
  const depth = numberIn(command, values, "depth", [1, MAX_DEPTH]);
  const unused = depth && ["seed", "time"].find((flag) => values[flag] !== undefined);
  if (unused) throw usageError(command, `--depth excludes --${unused}: it plays every script`);
  const options = {
    depth,
    seed: numberIn(command, values, "seed", [0, MAX_SEED]),
    scripts: numberIn(command, values, "scripts", [1, MAX_SCRIPTS]),
    timeMs: timeMsIn(command, values),
    concurrency: numberIn(command, values, "concurrency", [1, 100]),
  };
  if (values.driver === undefined) throw usageError(command, "--explore requires --driver MODULE");
  const target = await targetIn(command, call);
  if (!target.driver?.subscribe && !target.webhooks) {
    const remedy = "--webhook-listen HOST:PORT, or a driver with the verb subscribe";
    throw usageError(command, `--explore requires ${remedy}`);
  }
  const file = textIn(command, values, "report-json");
  if (file !== undefined) await refuseUnwritable(file);
  const progress = progressOn(process.stderr);
  return runInterruptibly(progress.log, true, async (signal) => {
    const report = await explore(target, {
      ...{ ...options, signal },
      onProgress: (now) => progress.show((elapsedMs) => explorationText(now, elapsedMs)),
    });
    progress.end();
    if (file !== undefined) await writeAtomically(file, `${JSON.stringify(report, null, 2)}\n`);
    const text =
      values.json === true
        ? JSON.stringify(report)
        : renderExploration(report, styleFor(process.stdout));
    await outputTo(process.stdout).write(`${text}\n`);
    return statusOf(report, values.strict === true);
  }).finally(progress.end);
}

/** Reads `--time`: seconds or minutes. */
function timeMsIn(command: Named, { time }: Values): number | undefined {
  if (time === undefined) return undefined;
  const [, digits = "", unit] = /^(\d{1,6})(s|m)$/.exec(String(time)) ?? [];
  const ms = Number(digits) * (unit === "m" ? 60_000 : 1_000);
  if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
  const range = `such as 60s or 5m, up to ${Math.floor(MAX_TIMER_MS / 60_000)}m`;
  throw usageError(command, `--time takes seconds or minutes ${range}, not "${time}"`);
}

function statusOf(report: ExploreReport, isStrict: boolean): number {
  const isFailure = report.findings.some(({ level }) => isStrict || level === "error");
  if (isFailure) return EXIT.found;
  return isUndecided(report) ? EXIT.undecided : EXIT.ok;
}
