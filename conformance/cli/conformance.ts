import { type Command, type CommandCall, EXIT, usageError } from "../../src/cli/command.ts";
import { refuseUnwritable, writeAtomically } from "../../src/cli/file.ts";
import { JSON_FLAG } from "../../src/cli/format.ts";
import { outputTo } from "../../src/cli/output.ts";
import { progressOn } from "../../src/cli/progress.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { MAX_TIMER_MS } from "../../src/options.ts";
import { counted } from "../../src/text.ts";
import { explore } from "../explore/explore.ts";
import { type ExploreReport, isUndecided, renderExploration } from "../explore/report.ts";
import { DEFAULT_CONCURRENCY, DEFAULT_PATIENCE_MS, defaultLimitMs } from "../run/live-run.ts";
import { type RunOptions, runConformance } from "../run/run.ts";
import type { Target } from "../target.ts";
import {
  BASELINE_NOTE,
  CHECK_FLAGS,
  EXPLORE_FLAGS,
  examplesOf,
  numberIn,
  onlyIn,
  switching,
  TARGET_FLAGS,
  taking,
  targetIn,
  textIn,
  type Values,
} from "./flags.ts";
import { listOf, renderList } from "./list.ts";
import { explorationText, runInterruptibly, runProgressOn } from "./progress.ts";
import { EvidenceFile, type Publication, publicationIn, publish, REPORT_FLAGS } from "./report.ts";

/** More concurrent requests would be a load test. */
const MAX_CONCURRENCY = 100;

/** `txfeed conformance`: runs the checks against a server and reports the results. */
export const conformance: Command = {
  name: "conformance",
  positionals: ["[BASE_URL]"],
  summary: "checks a server against every requirement of the interface",
  notes: [
    "Without --writes and --driver the run does not change a correct server. It sends GET requests",
    "and token requests, some of them invalid, and PATCH requests that the server must reject:",
    "with the body {}, for a bank link that does not exist, without a token that the API accepts.",
    "In the environment, NODE_EXTRA_CA_CERTS=FILE adds a certificate authority, and",
    "NODE_USE_ENV_PROXY=1 with HTTPS_PROXY or HTTP_PROXY a proxy.",
    "Ctrl-C stops the run, reports the results so far and exits with status 130. A second Ctrl-C",
    "exits immediately.",
    BASELINE_NOTE,
  ],
  flags: {
    ...TARGET_FLAGS,
    ...CHECK_FLAGS,
    list: switching("list the requirements, one per line; needs no server"),
    claims: switching("with --list: also each claim, with its situations"),
    evidence: taking("FILE", "record the traffic of the run in FILE, for txfeed report"),
    ...REPORT_FLAGS,
    json: { ...JSON_FLAG, help: "print the report, or the list, as one line of JSON" },
    ...EXPLORE_FLAGS,
  },
  examples: examplesOf("txfeed conformance", {
    "--list --claims": "list what is checked",
    "http://127.0.0.1:4010 --profile mock": "check a mock",
    "http://127.0.0.1:4020": "check without changes",
    "http://127.0.0.1:4020 --driver sandbox": "check events too",
    "http://127.0.0.1:4020 --only PAGE,TXN-05": "check a group and an id",
    "http://127.0.0.1:4020 --html report.html": "write a web page",
    "http://127.0.0.1:4020 --evidence run.ndjson": "record the run",
    "http://127.0.0.1:4020 --driver sandbox --explore": "try random scripts",
  }),
  run: async (call) => {
    const { values } = call;
    if (isExploring(values)) return exploreCall(call);
    const only = onlyIn(conformance, values);
    if (values.claims === true && values.list !== true) {
      throw usageError(conformance, "--claims needs --list");
    }
    if (values.list === true) {
      const hasClaims = values.claims === true;
      const list =
        values.json === true
          ? JSON.stringify(listOf(only, hasClaims))
          : renderList(only, styleFor(process.stdout), hasClaims);
      await outputTo(process.stdout).write(`${list}\n`);
      return EXIT.ok;
    }
    const concurrency = numberIn(conformance, values, "concurrency", [1, MAX_CONCURRENCY]);
    const options = {
      only,
      strict: values.strict === true,
      concurrency: concurrency ?? DEFAULT_CONCURRENCY,
    };
    const target = await targetIn(conformance, call);
    const evidence = textIn(conformance, values, "evidence");
    const taken = evidence === undefined ? [] : [{ flag: "--evidence", file: evidence }];
    const publication = await publicationIn(conformance, values, taken);
    if (evidence !== undefined) await refuseUnwritable(evidence);
    const recorded = evidence === undefined ? {} : { evidence: new EvidenceFile(evidence) };
    return runAndPublish(target, options, { ...publication, ...recorded });
  },
};

async function runAndPublish(
  target: Target,
  options: Pick<RunOptions, "only" | "strict"> & { readonly concurrency: number },
  publication: Publication,
): Promise<number> {
  const { collectSeconds = 0 } = target.webhooks ?? {};
  const limitMs = defaultLimitMs(target) + collectSeconds * 1_000;
  const limits =
    `timeouts: ${DEFAULT_PATIENCE_MS / 1_000} s per response, ` +
    `${Math.ceil(limitMs / 60_000)} min for the run; ` +
    `at most ${counted(options.concurrency, "concurrent request")}`;
  const progress = runProgressOn(process.stderr);
  const { log } = progress;
  if (process.stderr.isTTY) log(`${target.baseUrl}: ${limits}`);
  if (target.writes && !target.bankLinkId && !target.driver?.startLink) {
    log("txfeed: --writes has no effect without --bank-link ID");
  }
  return runInterruptibly(log, target.driver !== undefined, async (signal) => {
    const report = await runConformance(target, {
      ...{ ...options, limitMs, signal },
      onProgress: progress.noteCheck,
      onEvidence(entry) {
        progress.noteEvidence(entry);
        publication.evidence?.add(entry);
      },
      onListening(url) {
        const least = collectSeconds > 0 ? ` for at least ${collectSeconds} s` : "";
        log(`receiving deliveries at ${url}${least}`);
      },
    });
    progress.end();
    // On a terminal the limits were already shown.
    const isShown = process.stderr.isTTY && process.stdout.isTTY;
    return publish(report, { ...publication, facts: isShown ? [] : [limits] });
  }).finally(progress.end);
}

const MAX_SEED = 2_147_483_647;
const MAX_SCRIPTS = 1_000_000;
const MAX_DEPTH = 6;

/** Flags of the checks that an exploration has no use for. */
const OTHERS = [
  ...["only", "baseline", "list", "evidence", "junit", "html", "markdown", "collect"],
  ...["sdk-client-id", "sdk-client-secret", "second-account", "writes", "bank-link"],
];

/** Whether a call explores. */
function isExploring(values: Values): boolean {
  if (values.explore === true) return true;
  const own = Object.keys(EXPLORE_FLAGS).find((flag) => values[flag] !== undefined);
  if (own !== undefined) throw usageError(conformance, `--${own} requires --explore`);
  return false;
}

/** Explores a target. Resolves to the exit status. */
async function exploreCall(call: CommandCall): Promise<number> {
  const { values } = call;
  const other = OTHERS.find((flag) => values[flag] !== undefined);
  if (other !== undefined) throw usageError(conformance, `--explore excludes --${other}`);
  if (values.profile === "mock") throw usageError(conformance, "--explore excludes --profile mock");
  const depth = numberIn(conformance, values, "depth", [1, MAX_DEPTH]);
  const unused = depth && ["seed", "time"].find((flag) => values[flag] !== undefined);
  if (unused) throw usageError(conformance, `--depth excludes --${unused}: it plays every script`);
  const options = {
    depth,
    seed: numberIn(conformance, values, "seed", [0, MAX_SEED]),
    scripts: numberIn(conformance, values, "scripts", [1, MAX_SCRIPTS]),
    timeMs: timeMsIn(values),
    concurrency: numberIn(conformance, values, "concurrency", [1, MAX_CONCURRENCY]),
  };
  if (values.driver === undefined)
    throw usageError(conformance, "--explore requires --driver MODULE");
  const target = await targetIn(conformance, call);
  if (!target.driver?.subscribe && !target.webhooks) {
    const remedy = "--webhook-listen HOST:PORT, or a driver with the verb subscribe";
    throw usageError(conformance, `--explore requires ${remedy}`);
  }
  const file = textIn(conformance, values, "report-json");
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
function timeMsIn({ time }: Values): number | undefined {
  if (time === undefined) return undefined;
  const [, digits = "", unit] = /^(\d{1,6})(s|m)$/.exec(String(time)) ?? [];
  const ms = Number(digits) * (unit === "m" ? 60_000 : 1_000);
  if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
  const range = `such as 60s or 5m, up to ${Math.floor(MAX_TIMER_MS / 60_000)}m`;
  throw usageError(conformance, `--time takes seconds or minutes ${range}, not "${time}"`);
}

function statusOf(report: ExploreReport, isStrict: boolean): number {
  const isFailure = report.findings.some(({ level }) => isStrict || level === "error");
  if (isFailure) return EXIT.found;
  return isUndecided(report) ? EXIT.undecided : EXIT.ok;
}
